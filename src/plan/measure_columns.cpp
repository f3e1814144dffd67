// SPDX-License-Identifier: MIT
//
// The blocks of the loop over columns: how their threads lie, and into how many pieces they cut the columns.
#include <algorithm>
#include <cmath>

#include "plan/column_tile.hpp"
#include "plan/contest.hpp"
#include "plan/cost_cuda.hpp"
#include "plan/plan_cuda.hpp"
#include "plan/quickest_pieces.hpp"
#include "plan/wide_rows.hpp"

namespace kgen {

namespace {

// Returns how many pieces form a bundle, or 0 if one block folds all pieces. Bundles are quicker if a thread of that block would
// wait for the L2 cache several times, or if the block would read more partials than one multiprocessor gets in such a wait or two.
std::uint32_t bundle_of(const PlanContext& context,
                        std::int64_t pieces,
                        std::int64_t period,
                        std::int64_t threads) {
    constexpr std::int64_t few_pieces = 9;
    constexpr std::int64_t most_rounds = 4;
    constexpr std::int64_t most_bytes = 160 * 1024;
    const std::int64_t bytes = usual_accumulator_bytes(context);
    const std::int64_t reads = ceil_div(pieces, std::max<std::int64_t>(threads / period, 1));
    if (pieces <= few_pieces || (ceil_div(reads, handed_at_once(bytes)) <= most_rounds &&
                                 pieces * period * handed_words(bytes) * 4 <= most_bytes))
        return 0;
    return static_cast<std::uint32_t>(std::ceil(std::sqrt(static_cast<double>(pieces))));
}

// Returns the geometry of blocks that fold `pieces` pieces of each of `groups` tiles, or about as many.
Geometry cut_columns(const PlanContext& context,
                     const Baked& baked,
                     Geometry geometry,
                     ColumnTiles tiles,
                     std::int64_t groups,
                     std::int64_t pieces) {
    const auto& choice = baked.as<ReducedColumnsChoice>();
    const std::int64_t period = tiles.by_period.extent;
    const std::int64_t rows_at_once = choice.wide ? 1 : tiles.height;
    const std::int64_t most =
        std::max<std::int64_t>(ceil_div(tiles.rows, rows_at_once * choice.accesses), 1);
    tiles.rows_each = ceil_div(tiles.rows, std::min(pieces, most));
    const std::int64_t count = ceil_div(tiles.rows, tiles.rows_each);
    tiles.bundle = bundle_of(context, count, period, geometry.threads);
    const std::int64_t bundles =
        tiles.bundle == 0 ? 0 : ceil_div(count, std::int64_t{tiles.bundle});
    tiles.by_pieces = make_divisor32(count);
    geometry.scratch = {.handed = groups * (count + bundles) * period};
    geometry.blocks = count_blocks(context.request, groups * count, 1, geometry.threads);
    geometry.own = tiles;
    return geometry;
}

// Returns the geometry of blocks that fold whole columns. Without wide rows, their threads lie as `tile` says.
Geometry lay_columns(const PlanContext& context, const Baked& baked, ThreadTile tile) {
    const Walk& walk = context.walk;
    const std::int64_t columns = walk.extents[column_axis(context)];
    const auto& choice = baked.as<ReducedColumnsChoice>();
    Geometry geometry;
    ColumnTiles tiles = {};
    tiles.columns = columns;
    geometry.threads = baked.block_bound;
    std::int64_t rows = walk.reduced_count();
    std::int64_t period = columns;
    if (choice.wide) {
        const std::int64_t across = wide_threads(columns, baked.vector, geometry.threads);
        const std::int64_t elements = across * baked.vector;
        tile = {.across = across, .height = elements / columns};
        rows = ceil_div(rows * columns + (choice.shifted ? baked.vector - 1 : 0), elements);
    } else {
        period = choice.merged ? merged_span(context, baked) : tile.across * baked.vector;
        geometry.threads = static_cast<int>(tile.across * tile.height);
    }
    const std::int64_t side_by_side = ceil_div(columns, period);
    tiles.across = static_cast<int>(tile.across);
    tiles.height = static_cast<int>(tile.height);
    tiles.rows = rows;
    tiles.rows_each = rows;
    tiles.by_tiles = make_divisor32(side_by_side);
    tiles.by_pieces = make_divisor32(1);
    tiles.by_neighbours = make_divisor32(context.merged.neighbours);
    tiles.each = static_cast<int>(context.merged.of_output());
    tiles.by_period = make_divisor32(period / tiles.each);
    geometry.blocks = count_blocks(
        context.request, walk.kept_count() / columns * side_by_side, 1, geometry.threads);
    geometry.own = tiles;
    // Columns are divided into the axes that they were joined of.
    if (!context.column_extents.empty()) {
        geometry.counts = walk.extents;
        const int first = walk.kept - context.column_extents.rank();
        for (int axis = first; axis < walk.kept; ++axis)
            geometry.counts[axis] = context.column_extents[axis - first];
    }
    return geometry;
}

// Returns the geometry of blocks whose threads lie as `tile` says, or of narrower tiles if these are predicted to take less time: more
// threads then share a column, and more blocks run. They read parts of cache lines, which the L2 cache has. 21 calls of 1 to 7 us took
// 0.31 to 0.76 of the time of wide rows or pieces on an H200 (see choose_blocks).
Geometry quickest_tile(const PlanContext& context, const Baked& baked, ThreadTile tile) {
    constexpr double clearly_quicker = 0.97;
    Geometry best = lay_columns(context, baked, tile);
    const std::int64_t at_once = baked.as<ReducedColumnsChoice>().accesses;
    while (context.request.fit == Fit::call && tile.across > 1 && 2 * best.blocks <= few_tiles &&
           context.walk.reduced_count() > tile.height * at_once) {
        tile = {.across = tile.across / 2, .height = tile.height * 2};
        const Geometry tried = lay_columns(context, baked, tile);
        if (!take_quicker(context, baked, predict_reduced_columns, tried, clearly_quicker, best))
            break;
    }
    return best;
}

}  // namespace

Geometry measure_reduced_columns(const PlanContext& context, const Baked& baked) {
    const auto& choice = baked.as<ReducedColumnsChoice>();
    const ThreadTile tile = choice.wide     ? ThreadTile()
                            : choice.merged ? merged_tile(context, baked)
                                            : thread_tile(context, baked, choice.split);
    if (!choice.wide && !choice.merged && !choice.split) return quickest_tile(context, baked, tile);
    const Geometry geometry = lay_columns(context, baked, tile);
    const auto& tiles = std::get<ColumnTiles>(geometry.own);
    if (!choice.split || tiles.rows == 0) return geometry;
    const std::int64_t groups = geometry.blocks;
    // A small number of groups is split so that all multiprocessors are busy but no second round of
    // blocks is needed: float32, 16384 x 16384, 1.039 with 512 blocks of 256 threads, 1.002 with 1024. A
    // larger number of groups is split into many rounds of blocks, so that an incomplete last round costs
    // little.
    constexpr std::int64_t many_small =
        24;  // groups; the partials of more pieces of fewer ones take longer to fold
    const std::int64_t busy =
        std::int64_t{context.limits.processor_count} * busy_threads /
        (choice.wide || groups >= many_small ? geometry.threads : column_threads);
    const std::int64_t pieces =
        std::max<std::int64_t>(groups <= busy ? busy / groups : ceil_div(many_groups, groups), 1);
    // More blocks make up for small ones, and for threads that load few bytes at once. Figures of 12 calls on an H200: 0.54 to 1.13 of
    // the time, but 1.10 to 1.27 for wide rows of 8 and 16 bytes.
    std::int64_t bytes = 0;
    for (const std::size_t k : context.arrays)
        bytes += context.is_written(k) ? 0 : context.item(k) * baked.vector;
    const bool may_double =
        bytes <= word_bytes || (!choice.wide && geometry.threads < column_threads);
    return quickest_pieces(
        context, baked, predict_reduced_columns, pieces, may_double, [&](std::int64_t count) {
            return cut_columns(context, baked, geometry, tiles, groups, count);
        });
}

}  // namespace kgen
