// SPDX-License-Identifier: MIT
//
// What the loops of row kernels on CUDA share: how arrays are accessed, and how many threads have a row, or neighbouring rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "plan/plan_cuda.hpp"
#include "plan/row_spread.hpp"

namespace kgen {

// Threads of a block whose teams have up to 32 threads.
inline constexpr int team_block = 256;
// Number of blocks that give each multiprocessor of an H100 one.
inline constexpr std::int64_t busy_blocks = 132;
// What is computed of more elements is computed again in each pass, because only the elements are kept.
inline constexpr std::int64_t most_computed = 32;

// Whether the operand's elements are neighbours along the axis, which may be -1.
bool is_neighbour(const PlanContext& context, std::size_t k, int axis);

// Whether the array has elements of the rows, and not one element for each row.
bool has_row_elements(const PlanContext& context, std::size_t k);

// Bakes how the arrays are accessed. In fused_columns an array is uniform if its elements are the same along the axis, in
// fused_rows if those of a whole row are.
void bake_accesses(const PlanContext& context, int axis, bool by_columns, Baked& baked);

// Returns the number of accesses that a thread can keep; 0 if the texts are too long for that many copies.
std::int64_t most_kept(const PlanContext& context, const Baked& baked);

// Whether the kernel reads each element once, so that there is nothing to keep.
bool reads_once(const PlanContext& context);

// The threads that share a set: a row, or neighbouring rows.
struct Team {
    int threads = 32;  // of a block
    int blocks = 1;
    std::int64_t each = 0;  // accesses of a thread; 0 if it cannot keep them
    bool whole = false;     // all threads have as many
    // Those that wait for each other in a cluster, in halves of the largest block.
    std::int64_t parts() const;
};

// Returns the team of each set. A thread of a busy device has `usual` accesses. A team has at least `least` threads.
Team team_for(const PlanContext& context,
              const Baked& baked,
              const RowWork& work,
              std::int64_t usual,
              std::int64_t least);

// Whether blocks of the whole grid should share a set, because the team cannot keep it.
bool spreads(const PlanContext& context, const Team& team, const RowWork& work);

// Bakes the members that both choices have.
template <typename Choice>
void bake_team(const Team& team, const Baked& baked, Choice& choice) {
    choice.held = static_cast<int>(team.each);
    choice.blocks = team.blocks;
    choice.team = team.threads;
    choice.whole = team.whole;
    choice.packed = team.each * baked.vector > most_computed;
}

// Bakes teams of blocks of the whole grid instead.
template <typename Choice>
void bake_spread(const PlanContext& context, const RowWork& work, Baked& baked, Choice& choice) {
    const Team team = {
        .threads = spread_threads,
        .each = spread_held(
            context, work, std::min(most_kept(context, baked), most_computed / baked.vector))};
    bake_team(team, baked, choice);
    choice.spread = true;
    baked.block_bound = spread_threads;
}

// Returns how often the accesses are read: "4 accesses kept".
std::string held_text(int held, bool spread);

}  // namespace kgen
