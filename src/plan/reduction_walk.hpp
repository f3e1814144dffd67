// SPDX-License-Identifier: MIT
//
// ReductionWalk: the axes of a reduction, kept and reduced ones apart, as few as the operands allow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "plan/plan.hpp"
#include "plan/walk.hpp"

namespace kgen {

// Numbers that move along the walk as operands do, in elements instead of bytes.
enum class PlaceIndex : std::uint8_t {
    input,    // `i` of the map: the C-order index in the shape of the inputs
    reduced,  // `_J`: the C-order index over the reduced axes
    output,   // the C-order index in the shape of the outputs
};
inline constexpr std::size_t place_index_count = 3;

struct ReductionWalk {
    Dims extents;                // the kept axes, then the reduced ones, each slowest first
    int kept = 0;                // how many of them are kept
    bool inner_reduced = false;  // the axis along which memory runs fastest is reduced
    std::vector<Dims> strides;   // one row an operand (empty unless it is walked), bytes
    std::vector<std::int64_t>
        offsets;  // bytes from each operand's address to where its walk begins
    Dims index_strides[place_index_count];  // of those indices that the texts use
    std::int64_t index_begins[place_index_count] = {};

    int rank() const noexcept { return extents.rank(); }
    // Elements of an output, and elements that are folded into one of them.
    std::int64_t kept_count() const noexcept;
    std::int64_t reduced_count() const noexcept;
};

// Axes are sorted as the inputs lie in memory, earlier ones first; backward ones are turned round;
// neighbours of one kind are merged where all operands, and the indices that the texts use, walk them
// as one.
ReductionWalk make_reduction_walk(const PlanRequest& request);

}  // namespace kgen
