// SPDX-License-Identifier: MIT
//
// fill_block: computes the bytes of the parameter block of one launch.
#pragma once

#include <cstddef>

#include "plan/loop_table.hpp"

namespace kgen {

// Return the shape and strides of operand k's raw view. For a raw parameter, they are those of the array
// itself. For `_raw_name`, the array is broadcast to the shape of the loop, which `_ind` indexes.
Dims view_shape(const PlanRequest& request, std::size_t k);
Dims view_strides(const PlanRequest& request, std::size_t k);

// Fills the empty `block` as lay_out_block(baked, ...) describes it. Only the fields `data` and `view` contain
// addresses. The other fields depend on addresses at most modulo 16. Throws ShapeError if the block is larger
// than largest_block_bytes.
void fill_block(const PlanContext& context,
                const Baked& baked,
                const Geometry& geometry,
                Block& block);

}  // namespace kgen
