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

// Returns fewer than eight accesses if steps of eight would have many missing slots at the ends of several segments: those take as many
// instructions as others. 31 such sums on an H200 took 0.44 to 1.09 of their time, 0.79 in the geometric mean. With four accesses, fewer ones
// do not help: 21 others took 0.70 to 1.59, 1.04 in the mean.
int fit_segments(const PlanContext& context, const Rows& rows, std::int64_t team, int wanted);

}  // namespace kgen
