// SPDX-License-Identifier: MIT
//
// How the threads of a block lie over the columns of a reduction: `across` threads side by side, of which each has `vector`
// columns, and `height` threads below each other that share their columns.
#pragma once

#include <cstdint>

#include "plan/plan_cuda.hpp"

namespace kgen {

inline constexpr std::int64_t warp = 32;
inline constexpr std::int64_t cache_line_bytes = 128;
// Number of tiles below which blocks get narrow tiles, so that more multiprocessors work.
inline constexpr std::int64_t few_tiles = 128;
// Least number of groups of columns for which there are enough blocks without splitting.
inline constexpr std::int64_t many_groups = 1024;

// Returns the axis of the columns.
inline int column_axis(const PlanContext& context) {
    return context.walk.kept - 1;
}

// Returns the least number of threads side by side, at most `most`. They must read whole cache lines. A block
// must not have more columns than threads, because one thread for each column folds the partial results of the
// blocks.
std::int64_t least_across(const PlanContext& context, const Baked& baked, std::int64_t most = warp);

// Returns the number of tiles of `across` threads side by side.
std::int64_t count_tiles(const PlanContext& context, const Baked& baked, std::int64_t across);

// Returns the number of threads that read a cache line.
std::int64_t line_threads(const PlanContext& context, const Baked& baked);

// Returns the greatest number of elements of an access along the axis.
int longest_vector(const PlanContext& context, int axis);

// Whether vectors that begin anywhere can be read by the words around them, because their elements are narrow.
bool may_be_words(const PlanContext& context, int vector);

// Threads of a block that are side by side, and those below each other that share their columns.
struct ThreadTile {
    std::int64_t across = 1;
    std::int64_t height = 1;
};

// Returns how the threads of a block lie. `split` says whether blocks fold pieces of the columns.
ThreadTile thread_tile(const PlanContext& context, const Baked& baked, bool split);

// Return the columns of a block if columns are merged, which are those of whole outputs, and how its threads lie. There are no columns if
// those of an output, or with repeats those of all outputs, take too many threads.
std::int64_t merged_span(const PlanContext& context, const Baked& baked);
ThreadTile merged_tile(const PlanContext& context, const Baked& baked);

// Loop::measure of the loop over columns: chooses the tile, or the number of pieces, that is predicted to take the least time.
Geometry measure_reduced_columns(const PlanContext& context, const Baked& baked);

// Returns how many accumulators of so many bytes a thread takes over at once from other blocks (kgen_handed).
constexpr std::int64_t handed_at_once(std::int64_t bytes) {
    return bytes <= 4 ? 4 : bytes <= 16 ? 2 : 1;
}

}  // namespace kgen
