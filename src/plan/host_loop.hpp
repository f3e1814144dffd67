// SPDX-License-Identifier: MIT
//
// The choice of the host's elementwise loops.
#pragma once

#include <cstddef>
#include <kgen/dims.hpp>
#include <span>

#include "plan/baked.hpp"
#include "plan/plan.hpp"
#include "plan/walk.hpp"

namespace kgen {

// Chooses the host's loop. The first row that holds decides:
//
//   loop        when                                              why
//   tiles       along the innermost axis, some operands have      a row would use one element of each cache
//               a cache line for each element, and along          line, and return to the line after it has
//               another axis they share lines; both axes have     left the cache
//               at least 8 elements
//   short_rows  rows have at most 32 elements; there are at       each row costs about 4 ns beside its
//               least 16; outputs are contiguous over whole       elements
//               rows; each input is contiguous too, or the
//               same in each row, or rows have at most 5
//               elements
//   rows        otherwise                                         the innermost axis is a plain loop
//
// A body that keeps state always gets rows, because the order of its elements must be that of the walk. A
// body that takes references, or writes through a raw view, never gets short_rows, because it must not see
// copies. For tiles, the other axis becomes one of the last two axes of `walk` and `index_strides`, and the
// last one if more operands lie along it.
//
// Measured for float32, 4096 x 4096, X.T * Y, on one core of a Xeon with 2 MiB of L2: rows 1.0 GB/s; tiles of
// 64 x 64 6.5 (32 x 64 6.2, 128 x 128 6.8, through a buffer that is transposed in registers 6.5); a
// contiguous loop 14.5.
LoopKind choose_host_loop(const PlanRequest& request,
                          std::span<const std::size_t> arrays,
                          Walk& walk,
                          Dims& index_strides);

// Returns the stride class of operand k along the innermost axis. In short_rows the two innermost axes are
// one.
StrideClass host_inner_class(LoopKind loop,
                             const Walk& walk,
                             std::size_t k,
                             std::size_t item_bytes);

}  // namespace kgen
