// SPDX-License-Identifier: MIT
#include "plan/row_spread.hpp"

#include <algorithm>

#include "plan/cost_cuda.hpp"

namespace kgen {

namespace {

// Blocks that run at the same time on a usual GPU of the architecture.
std::int64_t usual_blocks(const PlanContext& context) {
    return std::int64_t{spread_blocks_each} *
           arch_limits(context.request.target.arch).processor_count;
}

struct Blocks {
    std::int64_t of_team;
    std::int64_t teams;
};

// Divides `blocks` into teams. A team has the blocks that keep a set, and more if there are few sets. Each thread has an
// access.
Blocks divide(const RowWork& work, std::int64_t blocks, std::int64_t held) {
    const std::int64_t useful = std::clamp<std::int64_t>(work.accesses / spread_threads, 1, blocks);
    const std::int64_t keeping =
        ceil_div(work.accesses, spread_threads * std::max<std::int64_t>(held, 1));
    const std::int64_t least = std::min(std::max(blocks / work.sets, keeping), useful);
    // Teams take turns, so all of them should have the same number of sets.
    const std::int64_t turns = ceil_div(work.sets, blocks / std::max<std::int64_t>(least, 1));
    const std::int64_t teams = ceil_div(work.sets, turns);
    return {std::min(blocks / teams, useful), teams};
}

}  // namespace

bool wants_spread(const RowWork& work, int blocks) {
    // Blocks wait for each other longer than a thread takes for a few accesses. No other number than 12 was timed. Layer
    // norms that read their rows again take longer even if other rows keep the device busy: 2000 rows of 200000 float32 take
    // 2164 us instead of 1449 (H100).
    constexpr std::int64_t few_accesses = 12;
    return work.accesses > few_accesses * spread_threads * blocks;
}

int spread_held(const PlanContext& context, const RowWork& work, std::int64_t most) {
    // More accesses of one element need too many registers for their places: 32 spilled 336 bytes in a layer norm.
    constexpr std::int64_t most_accesses_kept = 16;
    if (most < 1) return 0;
    most = std::min(floor_power(most), most_accesses_kept);
    const Blocks blocks = divide(work, usual_blocks(context), most);
    return static_cast<int>(
        std::min(most, ceil_power(ceil_div(work.accesses, spread_threads * blocks.of_team))));
}

void measure_spread(const PlanContext& context,
                    const RowWork& work,
                    int held,
                    int width,
                    FusedTeams& teams,
                    Geometry& geometry) {
    const Blocks blocks =
        divide(work, std::int64_t{spread_blocks_each} * context.limits.processor_count, held);
    teams.blocks = static_cast<int>(blocks.of_team);
    teams.teams = static_cast<unsigned>(blocks.teams);
    geometry.blocks = blocks.of_team * blocks.teams;
    // Two passes have places of their own.
    geometry.scratch = {.accumulators = 2 * geometry.blocks * width,
                        .counters = static_cast<int>(blocks.teams)};
}

}  // namespace kgen
