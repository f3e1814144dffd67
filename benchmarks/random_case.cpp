// SPDX-License-Identifier: MIT
#include "benchmarks/random_case.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "benchmarks/random_kernels.hpp"
#include "benchmarks/random_layout.hpp"

namespace kgen::bench {

namespace {

// Sequences of a seed, see Draw. That of the shape comes last, because extents decide how many numbers it takes.
enum Sequence : std::uint8_t { kernel_sequence, layout_sequence, shape_sequence };

// The number of elements of the loop.
std::int64_t random_size(
    Draw& draw, RandomClass kind, const RandomKernel& kernel, DeviceKind device, Scale scale) {
    const bool quick = scale == Scale::quick;
    if (kind == RandomClass::small) return quick ? draw.power(6, 11) : draw.power(10, 20);
    std::size_t item = 1;
    for (const auto* dtypes : {&kernel.inputs, &kernel.outputs}) {
        for (const DType dtype : *dtypes) item = std::max(item, item_size(dtype));
    }
    const std::int64_t bytes = quick                        ? draw.power(11, 15)
                               : kind == RandomClass::host  ? draw.power(13, 24)
                               : device == DeviceKind::host ? draw.power(20, 24)
                                                            : draw.power(24, 28);
    return bytes / static_cast<std::int64_t>(item);
}

// Any set of axes, one in the middle, or every second one.
std::vector<int> random_axes(Draw& draw, int rank) {
    std::vector<int> axes;
    const int form = draw.weighted({65, 20, 15});
    if (rank >= 3 && form == 1) return {static_cast<int>(draw.between(1, rank - 2))};
    if (rank >= 3 && form == 2) {
        for (auto axis = static_cast<int>(draw.below(2)); axis < rank; axis += 2) {
            axes.push_back(axis);
        }
        return axes;
    }
    for (int axis = 0; axis < rank; ++axis) {
        if (draw.chance(45)) axes.push_back(axis);
    }
    if (axes.empty()) axes.push_back(static_cast<int>(draw.below(rank)));
    return axes;
}

}  // namespace

RandomCase random_case(std::uint64_t seed, DeviceKind device, Scale scale) {
    const RandomClass kind = class_of(seed);
    Draw draw(seed, kernel_sequence);
    const auto mixed_kind = static_cast<RandomClass>(draw.weighted({40, 25, 35}));
    const RandomClass kind_of_call = kind < RandomClass::small ? kind : mixed_kind;
    const bool permutes = kind_of_call == RandomClass::permute;
    const bool reduces = kind_of_call == RandomClass::reduce;
    const int drawn_rank = 1 + draw.weighted({18, 25, 20, 12, 9, 6, 5, 5});
    const int rank = permutes ? std::max(drawn_rank, 2) : drawn_rank;
    RandomKernel kernel =
        reduces ? random_reduction(draw) : random_elementwise(draw, rank, permutes);

    Draw layout(seed, layout_sequence);
    Draw extents(seed, shape_sequence);
    const std::int64_t size = random_size(extents, kind, kernel, device, scale);
    const Dims shape = extents.shape(rank, size);
    RandomCase row;
    row.name = fmt::format("{}_{}", to_text(kind), seed);
    row.family = to_text(kind);
    for (std::size_t k = 0; k < kernel.inputs.size(); ++k) {
        LayoutOdds odds{.permuted = permutes ? 30 : 15};
        if (permutes && k == 0) odds.permuted = 100;
        if (k == 0) odds.broadcast = 0;  // so that the loop has the shape that was drawn
        const bool is_raw = kernel.has_raw && k + 1 == kernel.inputs.size();
        if (is_raw) odds.broadcast = 0;
        const Dims own = is_raw ? Dims{extents.log_uniform(size)} : shape;
        row.inputs.push_back(random_operand(layout, kernel.inputs[k], own, odds));
    }
    if (reduces) {
        if (!layout.chance(25)) row.axes = random_axes(layout, rank);
    } else {
        const LayoutOdds odds{
            .permuted = 10, .sliced = 12, .reversed = 8, .broadcast = 0, .misaligned = 15};
        for (const DType dtype : kernel.outputs) {
            row.more_outputs.push_back(random_operand(layout, dtype, shape, odds));
        }
        row.output = row.more_outputs.front();
        row.more_outputs.erase(row.more_outputs.begin());
    }
    row.kernel = std::move(kernel.kernel);
    row.expression = std::move(kernel.expression);
    return row;
}

}  // namespace kgen::bench
