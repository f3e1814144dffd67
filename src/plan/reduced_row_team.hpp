// SPDX-License-Identifier: MIT
//
// The rows that reduced_rows folds, and how many threads fold an output and a row of it. A segment is a run of reduced elements along
// the innermost axis, and a slot is the part of it that one access reads.
#pragma once

#include <cstdint>

#include "plan/plan_cuda.hpp"

namespace kgen {

struct Rows {
    std::int64_t outputs = 1;
    std::int64_t row = 1;  // number of elements in a segment
    std::int64_t segments = 1;
    // Number of slots in a segment. A segment that begins within a slot may touch one more.
    std::int64_t slots = 1;

    std::int64_t all_slots() const { return segments * slots; }
};

// Returns the axis of the segments, or -1 if nothing is reduced.
int row_axis(const PlanContext& context);
Rows rows_of(const PlanContext& context, int vector);

bool has_own_accumulator(const PlanContext& context);

inline constexpr std::int64_t threads_at_work = 132 * 1024;  // that keep an H200 busy
// Inputs that run fastest across rows are read by sectors if enough rows lie beside each other in a warp. Least number of
// threads for which outputs get so few threads each.
inline constexpr std::int64_t turned_threads = threads_at_work / 4;

// Returns the number of threads of a team of up to 32 threads. A thread has several slots if there are outputs enough, and at least two,
// because one slot keeps too few loads in flight. float32 rows of 16 elements: 0.932 with one slot, 1.023 with two; rows of 128: 0.916 and 1.017.
std::int64_t team_of(const PlanContext& context, const Rows& rows);

// Returns the number of threads of a team of `team` threads that fold one segment. If outputs have several, a thread
// has a few slots of each. Kernels whose outputs have one segment rely on the whole team to fold it.
std::int64_t lanes_of(const PlanContext& context, const Rows& rows, std::int64_t team);

// Returns the number of accesses of a thread that may have `wanted`. Instead of eight it is the largest power of two with which few slots of a
// step are missing at the end of a segment, if there are several: missing slots take as many instructions as others. 31 such sums on an
// H200 took 0.44 to 1.09 of their time, 0.79 in the geometric mean. 21 others, for which four or fewer were wanted and halved too, took
// 0.70 to 1.59, 1.04 in the mean, so those keep what is wanted.
int fit_segments(const PlanContext& context, const Rows& rows, std::int64_t team, int wanted);

}  // namespace kgen
