// SPDX-License-Identifier: MIT
//
// The bytes of the parameter block of one launch.
#pragma once

#include <cstddef>
#include <vector>

#include "plan/cuda_loop.hpp"

namespace kgen {

// Writes one axis of the field `extents`: the extent itself on the host, its divisor on CUDA. An axis that is
// empty or too long for its divisor is never divided by and gets the divisor of extent 1. Returns the place
// of the next axis.
std::byte* put_extent(const Baked& baked, std::int64_t extent, std::byte* at);

// Return the shape and strides of operand k's raw view: the array's own for a raw parameter, those broadcast
// to the loop, which `_ind` indexes, for `_raw_name`.
Dims view_shape(const PlanRequest& request, std::size_t k);
Dims view_strides(const PlanRequest& request, std::size_t k);

// Writes the kgen_raw_view of operand k.
void fill_view(const PlanRequest& request, std::size_t k, std::byte* at);

// Returns a block of zeros. Throws ShapeError if the layout is larger than largest_block_bytes.
std::vector<std::byte> make_block(const PlanRequest& request, const BlockLayout& layout);

// Returns the block that lay_out_block(baked, ...) describes. Only the fields `data` and `view` contain
// addresses. The other fields depend on addresses at most modulo 16. Throws ShapeError if the block is larger
// than largest_block_bytes.
std::vector<std::byte> fill_block(const LoopContext& context,
                                  const Baked& baked,
                                  const Geometry& geometry);

}  // namespace kgen
