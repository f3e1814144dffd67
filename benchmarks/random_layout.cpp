// SPDX-License-Identifier: MIT
#include "benchmarks/random_layout.hpp"

#include <algorithm>

namespace kgen::bench {

namespace {

// The part of an axis in memory that an operand shows.
struct AxisPart {
    std::int64_t front = 0;  // elements that are left out before and behind
    std::int64_t back = 0;
    std::int64_t step = 1;
    bool reversed = false;
    bool broadcast = false;

    std::int64_t memory_extent(std::int64_t extent) const {
        return broadcast ? 1 : front + (extent - 1) * step + 1 + back;
    }
    Range range(std::int64_t extent) const {
        if (broadcast) return {};
        const std::int64_t last = front + (extent - 1) * step;
        if (!reversed) return {front, last + 1, step};
        return {last, front > 0 ? std::optional(front - 1) : std::nullopt, -step};
    }
};

std::vector<AxisPart> random_parts(Draw& draw, int rank, const LayoutOdds& odds) {
    std::vector<AxisPart> parts(static_cast<std::size_t>(rank));
    const auto any = [&]() -> AxisPart& {
        return parts[static_cast<std::size_t>(draw.below(rank))];
    };
    if (draw.chance(odds.sliced)) {
        AxisPart& part = any();
        part.step = draw.among(std::vector<std::int64_t>{1, 2, 3, 5});
        part.front = draw.below(4);
        part.back = draw.below(4);
    }
    if (draw.chance(odds.reversed)) any().reversed = true;
    if (draw.chance(odds.broadcast)) {
        const std::int64_t count = draw.between(1, rank);
        for (std::int64_t k = 0; k < count; ++k) any().broadcast = true;
    }
    return parts;
}

// Returns the order of the axes in memory, outermost first.
Dims random_order(Draw& draw, int rank, int percent) {
    const bool permuted = draw.chance(percent);
    const bool fortran = draw.chance(40);
    Dims order = draw.permutation(rank);
    if (permuted && !fortran && !std::is_sorted(order.begin(), order.end())) return order;
    std::sort(order.begin(), order.end());
    if (permuted) std::reverse(order.begin(), order.end());
    return order;
}

}  // namespace

Operand random_operand(Draw& draw, DType dtype, const Dims& shape, const LayoutOdds& odds) {
    const int rank = shape.rank();
    const std::vector<AxisPart> parts = random_parts(draw, rank, odds);
    const Dims order = random_order(draw, rank, odds.permuted);
    const std::int64_t offset = draw.chance(odds.misaligned) ? draw.between(1, 15) : 0;
    const bool stretches = draw.chance(30);  // broadcasts by strides of 0
    const bool shortened = draw.chance(50);  // leaves out leading broadcast axes

    Operand operand{.dtype = dtype, .shape = Dims::filled(rank, 1), .offset = offset};
    Dims axes = order;  // axes[k]: where axis k lies in memory
    std::vector<Index> window;
    for (int at = 0; at < rank; ++at) {
        const auto axis = static_cast<std::size_t>(order[at]);
        operand.shape[at] = parts[axis].memory_extent(shape[axis]);
        axes[axis] = at;
    }
    bool leads = shortened;
    for (int axis = 0; axis < rank; ++axis) {
        const AxisPart& part = parts[static_cast<std::size_t>(axis)];
        leads = leads && part.broadcast && axis + 1 < rank;
        window.push_back(leads ? Index(0) : Index(part.range(shape[axis])));
    }
    const bool stretched =
        stretches && std::any_of(parts.begin(), parts.end(), [](const AxisPart& part) {
            return part.broadcast;
        });
    operand.view = [=](const Array& whole) -> Array {
        const Array part = whole.transpose(axes)[std::span<const Index>(window)];
        return stretched ? part.broadcast_to(shape) : part;
    };
    return operand;
}

}  // namespace kgen::bench
