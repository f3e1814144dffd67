// SPDX-License-Identifier: MIT
//
// Constants and functions that CUDA's reduction loops share.
#pragma once

#include <cstdint>

#include "plan/reduction_plan.hpp"

namespace kgen {

// Number of threads that keep a multiprocessor of an H200 busy: with four accesses of 16 bytes each they have
// 64 KiB in flight.
inline constexpr int busy_threads = 1024;
// Number of accesses that a thread has in flight at once.
inline constexpr int accesses_in_flight = 4;
// Number of outputs from which on a thread or a warp for each output keeps all multiprocessors busy. Fewer
// outputs need a block each.
inline constexpr std::int64_t many_outputs = 2112;

inline std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
    return a <= 0 ? 0 : (a - 1) / b + 1;
}
// Round `count` down and up to a power of two. Counts below 1 give 1.
std::int64_t floor_power(std::int64_t count);
std::int64_t ceil_power(std::int64_t count);

// Returns the item size in bytes of the widest input that is contiguous along the axis, or 0 if there is
// none.
std::int64_t widest_along(const ReductionContext& context, int axis);

// Sets the access of each input along the axis. Inputs that are aligned as the first contiguous input is are
// read by vectors of `baked.vector` elements, other contiguous inputs element by element. Sets
// `baked.shifted` if rows may begin within a vector.
void choose_accesses(const ReductionContext& context, int axis, Baked& baked);

// Returns the width of an index that is divided into axes, if `largest` is the largest one.
IndexWidth index_width(std::int64_t largest);

bool choose_reduced_rows(const ReductionContext& context, Baked& baked);
ReductionGeometry measure_reduced_rows(const ReductionContext& context, const Baked& baked);
// Fills a general plan, which reads element by element by strides. The same types have two general plans:
// teams of up to 32 threads for many outputs or few elements each, otherwise blocks that fold pieces.
void choose_general_rows(const ReductionContext& context, Baked& baked);
bool choose_staged_rows(const ReductionContext& context, Baked& baked);
ReductionGeometry measure_staged_rows(const ReductionContext& context, const Baked& baked);
bool choose_reduced_columns(const ReductionContext& context, Baked& baked);
ReductionGeometry measure_reduced_columns(const ReductionContext& context, const Baked& baked);

}  // namespace kgen
