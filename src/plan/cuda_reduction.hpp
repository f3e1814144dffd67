// SPDX-License-Identifier: MIT
//
// What the CUDA loops of reductions share when they are chosen and measured.
#pragma once

#include <cstdint>

#include "plan/reduction_plan.hpp"

namespace kgen {

// Threads that a multiprocessor of an H200 should have at work: with 16 bytes in flight for each of
// four accesses, 64 KiB.
inline constexpr int busy_threads = 1024;
// Accesses of a thread that are in flight at once.
inline constexpr int accesses_in_flight = 4;
// Outputs that a thread or a warp each keep all multiprocessors busy with; fewer need blocks of their own.
inline constexpr std::int64_t many_outputs = 2112;

inline std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
    return a <= 0 ? 0 : (a - 1) / b + 1;
}
// Powers of two around a count of at least 1.
std::int64_t floor_power(std::int64_t count);
std::int64_t ceil_power(std::int64_t count);

// The widest item of inputs that move along the axis element by element, 0 for none.
std::int64_t widest_along(const ReductionContext& context, int axis);

// How each input is read along the axis, by vectors of `baked.vector` elements that all begin at the
// same places: those that are aligned as the first of them is. Sets access, and `baked.shifted` where
// rows do not begin at whole vectors.
void choose_accesses(const ReductionContext& context, int axis, Baked& baked);

// 32 bits where no count that is divided into axes is larger.
IndexWidth index_width(std::int64_t largest);

bool choose_reduced_rows(const ReductionContext& context, Baked& baked);
ReductionGeometry measure_reduced_rows(const ReductionContext& context, const Baked& baked);
// Element by element, by strides; outputs fold in teams of up to 32 threads or in pieces by blocks, so that
// there are two general plans of the same types.
void choose_general_rows(const ReductionContext& context, Baked& baked);
bool choose_staged_rows(const ReductionContext& context, Baked& baked);
ReductionGeometry measure_staged_rows(const ReductionContext& context, const Baked& baked);
bool choose_reduced_columns(const ReductionContext& context, Baked& baked);
ReductionGeometry measure_reduced_columns(const ReductionContext& context, const Baked& baked);

}  // namespace kgen
