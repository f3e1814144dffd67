// SPDX-License-Identifier: MIT
//
// Which loop the host runs, and over which axes.
#pragma once

#include <cstddef>
#include <kgen/dims.hpp>
#include <span>

#include "plan/baked.hpp"
#include "plan/plan.hpp"
#include "plan/walk.hpp"

namespace kgen {

// The table of the host's loops:
//
//   loop        when                                          why
//   tiles       operands have a cache line for each element   a row would use one element of each
//               along the inner axis, and share lines along   line, and come back to the line when
//               another                                       it has left the cache
//   short_rows  rows of up to 32 elements, many of them;      a row costs some 4 ns beside its
//               outputs contiguous over whole rows; inputs    elements
//               too, or the same in each row, or rows of
//               less than 6
//   rows        else                                          the inner axis is a plain loop
//
// A body that keeps state sees its elements in the order of the walk, and one that takes references
// or writes to memory of its own sees no copies. For tiles the other axis becomes one of the last two
// of `walk` and `index_strides`: the last if more operands lie along it.
//
// Measured for float32 on one core of a Xeon with 2 MiB of L2, 4096 x 4096, X.T * Y: rows 1.0 GB/s,
// tiles of 64 x 64 6.5 (32 x 64 6.2, 128 x 128 6.8, through a buffer that is transposed in registers
// 6.5), a contiguous loop 14.5.
LoopKind choose_host_loop(const PlanRequest& request,
                          std::span<const std::size_t> arrays,
                          Walk& walk,
                          Dims& index_strides);

// How operand k moves along the inner axis of the loop; of short rows, along both inner ones as one.
StrideClass host_inner_class(LoopKind loop,
                             const Walk& walk,
                             std::size_t k,
                             std::size_t item_bytes);

}  // namespace kgen
