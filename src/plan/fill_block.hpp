// SPDX-License-Identifier: MIT
//
// The bytes of the parameter block of one launch.
#pragma once

#include <cstddef>
#include <vector>

#include "plan/loop_table.hpp"

namespace kgen {

// Return the shape and strides of operand k's raw view: the array's own for a raw parameter, those broadcast
// to the loop, which `_ind` indexes, for `_raw_name`.
Dims view_shape(const PlanRequest& request, std::size_t k);
Dims view_strides(const PlanRequest& request, std::size_t k);

// Returns the block that lay_out_block(baked, ...) describes. Only the fields `data` and `view` contain
// addresses. The other fields depend on addresses at most modulo 16. Throws ShapeError if the block is larger
// than largest_block_bytes.
std::vector<std::byte> fill_block(const PlanContext& context,
                                  const Baked& baked,
                                  const Geometry& geometry);

}  // namespace kgen
