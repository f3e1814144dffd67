// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <kgen/error.hpp>
#include <numeric>

#include "shard/sharded_array_access.hpp"
#include "text/error_parts.hpp"

namespace kgen {

Sharding Sharding::split(int axis, std::vector<std::int64_t> blocks) {
    Sharding made;
    made.axis_ = axis;
    made.blocks_ = std::move(blocks);
    return made;
}

int Sharding::axis() const {
    if (axis_) return *axis_;
    throw ShapeError("a replicated array is not split, so it has no split axis");
}

std::string to_text(const Sharding& sharding) {
    if (sharding.is_replicated()) return "replicated";
    std::string text = fmt::format("split along axis {}", sharding.axis());
    if (!sharding.blocks().empty())
        text += fmt::format(" into ({})", fmt::join(sharding.blocks(), ", "));
    return text;
}

Sharding resolved(const Sharding& sharding, const Dims& shape, int ranks) {
    if (sharding.is_replicated()) return sharding;
    const int axis = sharding.axis() < 0 ? sharding.axis() + shape.rank() : sharding.axis();
    if (axis < 0 || axis >= shape.rank()) {
        refuse<ShapeError>({ErrorKind::shape, "axis", {}, std::to_string(sharding.axis())},
                           "axis {} does not exist, so an array of shape {} is not split along it",
                           sharding.axis(),
                           to_text(shape));
    }
    std::vector<std::int64_t> blocks(sharding.blocks().begin(), sharding.blocks().end());
    if (blocks.empty()) {
        for (int rank = 0; rank < ranks; ++rank)
            blocks.push_back(shape[axis] / ranks + (rank < shape[axis] % ranks ? 1 : 0));
    }
    if (blocks.size() != static_cast<std::size_t>(ranks)) {
        refuse<ShapeError>(
            {ErrorKind::shape, "blocks", std::to_string(ranks), std::to_string(blocks.size())},
            "a split into {} blocks is given for {} ranks; give one block for each rank",
            blocks.size(),
            ranks);
    }
    const bool is_negative = *std::min_element(blocks.begin(), blocks.end()) < 0;
    if (is_negative ||
        std::accumulate(blocks.begin(), blocks.end(), std::int64_t{0}) != shape[axis]) {
        refuse<ShapeError>({ErrorKind::shape,
                            "blocks",
                            std::to_string(shape[axis]),
                            fmt::format("{}", fmt::join(blocks, ", "))},
                           "the blocks ({}) do not add up to {}, the extent of axis {} of shape {}",
                           fmt::join(blocks, ", "),
                           shape[axis],
                           axis,
                           to_text(shape));
    }
    return Sharding::split(axis, std::move(blocks));
}

std::string call_text(const Sharding& sharding, const Dims& shape, int ranks) {
    if (sharding.is_replicated()) return "Sharding::replicated()";
    if (resolved(Sharding::split(sharding.axis()), shape, ranks) == sharding)
        return fmt::format("Sharding::split({})", sharding.axis());
    return fmt::format(
        "Sharding::split({}, {{{}}})", sharding.axis(), fmt::join(sharding.blocks(), ", "));
}

Box box_of(const Dims& shape, const Sharding& resolved_sharding, int rank) {
    Box box{Dims::filled(shape.rank(), 0), shape};
    if (resolved_sharding.is_replicated()) return box;
    const auto blocks = resolved_sharding.blocks();
    const auto at = static_cast<std::size_t>(rank);
    const int axis = resolved_sharding.axis();
    box.start[axis] = std::accumulate(blocks.begin(), blocks.begin() + rank, std::int64_t{0});
    box.shape[axis] = blocks[at];
    return box;
}

Array view_of_box(const Array& array, const Box& outer, const Box& inner) {
    std::vector<Range> ranges;
    for (int axis = 0; axis < inner.shape.rank(); ++axis) {
        const std::int64_t begin = inner.start[axis] - outer.start[axis];
        ranges.push_back({begin, begin + inner.shape[axis]});
    }
    return array.slice(ranges);
}

Box common_box(const Box& a, const Box& b) {
    Box both = a;
    for (int axis = 0; axis < a.shape.rank(); ++axis) {
        both.start[axis] = std::max(a.start[axis], b.start[axis]);
        const std::int64_t end =
            std::min(a.start[axis] + a.shape[axis], b.start[axis] + b.shape[axis]);
        both.shape[axis] = std::max<std::int64_t>(end - both.start[axis], 0);
    }
    return both;
}

ShardedParts make_parts(const Dims& shape,
                        DType dtype,
                        const Sharding& sharding,
                        const Communicator& communicator) {
    ShardedParts parts{.communicator = communicator, .dtype = dtype, .shape = shape};
    parts.sharding = resolved(sharding, shape, communicator.size());
    return parts;
}

}  // namespace kgen
