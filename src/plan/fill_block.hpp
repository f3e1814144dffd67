// SPDX-License-Identifier: MIT
//
// The bytes of the parameter block of one launch.
#pragma once

#include <cstddef>
#include <vector>

#include "plan/cuda_loop.hpp"

namespace kgen {

// One axis of the field `extents`: the extent itself on the host, a divisor on CUDA. What is never divided by, an empty
// axis or one too long for its divisor, is as one of extent 1. Returns where the next goes.
std::byte* put_extent(const Baked& baked, std::int64_t extent, std::byte* at);

// A raw parameter shows its own shape, `_raw_name` the broadcast one that `_ind` indexes.
Dims view_shape(const PlanRequest& request, std::size_t k);
Dims view_strides(const PlanRequest& request, std::size_t k);

// kgen_raw_view of operand k.
void fill_view(const PlanRequest& request, std::size_t k, std::byte* at);

// Zeros, as many as the layout has bytes. Throws ShapeError if they are too many to be passed.
std::vector<std::byte> make_block(const PlanRequest& request, const BlockLayout& layout);

// The block that lay_out_block(baked, ...) describes. It depends on addresses through the fields
// `data` and `view` alone, and otherwise on addresses modulo 16. Throws ShapeError if it is too
// large to be passed.
std::vector<std::byte> fill_block(const LoopContext& context,
                                  const Baked& baked,
                                  const Geometry& geometry);

}  // namespace kgen
