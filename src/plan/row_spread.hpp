// SPDX-License-Identifier: MIT
//
// Row kernels on CUDA whose rows are so long that thread blocks of the whole grid share them. All blocks run at the same
// time: the grid has no more of them than the multiprocessors hold by the kernel's launch bounds.
#pragma once

#include <cstdint>

#include "plan/plan_cuda.hpp"

namespace kgen {

inline constexpr int spread_threads = 512;    // of a block
inline constexpr int spread_blocks_each = 2;  // blocks that a multiprocessor holds at once
// Elements that a thread may count past the end of a row.
inline constexpr std::int64_t spread_slack = std::int64_t{1} << 26;

// The rows, or tiles of neighbouring rows, of a launch.
struct RowWork {
    std::int64_t sets = 1;      // rows or tiles
    std::int64_t accesses = 1;  // of a set
    std::int64_t across = 1;    // threads side by side
};

// Returns whether blocks of the whole grid should share a row that `blocks` blocks of `spread_threads` cannot keep.
bool wants_spread(const RowWork& work, int blocks);

// Returns the number of accesses that a thread keeps, at most `most`.
int spread_held(const PlanContext& context, const RowWork& work, std::int64_t most);

// Sets the numbers of blocks and scratch memory. A block leaves `width` accumulators.
void measure_spread(const PlanContext& context,
                    const RowWork& work,
                    int held,
                    int width,
                    FusedTeams& teams,
                    Geometry& geometry);

}  // namespace kgen
