// SPDX-License-Identifier: MIT
//
// ReductionWalk: the kept and the reduced axes of a reduction, merged into as few as the operands allow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "plan/plan.hpp"
#include "plan/walk.hpp"

namespace kgen {

// The place indices: numbers that a text of a reduction can use. Like operands they have strides along the
// walk, but in elements instead of bytes.
enum class PlaceIndex : std::uint8_t {
    input,    // `i` of the map: the C-order index in the shape of the inputs
    reduced,  // `_J`: the C-order index over the reduced axes
    output,   // the C-order index in the shape of the outputs
};
inline constexpr std::size_t place_index_count = 3;

struct ReductionWalk {
    Dims extents;                // the kept axes, then the reduced ones, each slowest first
    int kept = 0;                // number of kept axes
    bool inner_reduced = false;  // whether the axis along which memory runs fastest is reduced
    std::vector<Dims>
        strides;  // in bytes, a row for each operand; empty for operands that are not walked
    // Bytes from each operand's address to the begin of its walk.
    std::vector<std::int64_t> offsets;
    Dims index_strides[place_index_count];  // of the place indices; empty for unused ones
    std::int64_t index_begins[place_index_count] = {};

    int rank() const noexcept { return extents.rank(); }
    // Number of elements of each output, and number of elements that are folded into one of them.
    std::int64_t kept_count() const noexcept;
    std::int64_t reduced_count() const noexcept;
};

// Makes the walk of a reduction. Axes are sorted by the memory order of the inputs, of which earlier ones
// take precedence. Axes with negative strides are reversed. Neighbouring axes that are both kept or both
// reduced are merged if the strides of all operands and all used place indices allow it.
ReductionWalk make_reduction_walk(const PlanRequest& request);

}  // namespace kgen
