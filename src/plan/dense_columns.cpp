// SPDX-License-Identifier: MIT
#include "plan/dense_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "plan/cost_cuda.hpp"
#include "plan/row_team.hpp"

namespace kgen {

namespace {

constexpr std::int64_t most_period = 512;  // threads whose vectors are whole lines together
constexpr int most_accumulators = 12;      // of a thread
constexpr std::int64_t room_bytes =
    40960;  // of shared memory; kgen_columns_room has the same number

std::int64_t columns_of(const PlanContext& context) {
    return context.walk.extents[context.walk.kept - 1];
}

// Returns the most reductions of a pass.
int most_folds(const PlanContext& context) {
    int folds = 1;
    for (const RowPass& pass : context.request.signature.definition().rows->passes)
        folds = std::max(folds, pass.folds);
    return folds;
}

// Bakes vectors along the lines. Returns false if there is an array of the rows that has gaps.
bool bake_vectors(const PlanContext& context, Baked& baked, FusedColumnsChoice& choice) {
    const Walk& walk = context.walk;
    const int axis = walk.kept - 1;
    std::int64_t widest = 0;
    std::optional<std::size_t> first;
    for (const std::size_t k : context.arrays) {
        baked.operands[k].access = Access::elements;
        if (!has_row_elements(context, k)) continue;
        if (context.stride(k, axis) != context.item(k) ||
            context.stride(k, walk.kept) != columns_of(context) * context.item(k))
            return false;
        baked.operands[k].access = Access::vector;
        widest = std::max(widest, context.item(k));
        if (!first) first = k;
    }
    if (!first) return false;
    baked.vector = static_cast<int>(access_bytes / widest);
    // Each element has accumulators of its own in registers.
    while (baked.vector > 1 && baked.vector * most_folds(context) > most_accumulators)
        baked.vector /= 2;
    const std::int64_t all = walk.reduced_count() * columns_of(context);
    if (all < 2 * baked.vector) return false;
    choice.shifted = all % baked.vector != 0;
    for (const std::size_t k : context.arrays) {
        const std::int64_t within = context.item(k) * baked.vector - 1;
        if (baked.operands[k].access != Access::vector) continue;
        choice.shifted =
            choice.shifted || (context.begin(k) & static_cast<std::uintptr_t>(within)) != 0;
        for (int other = 0; other < axis; ++other)
            choice.shifted = choice.shifted || (context.stride(k, other) & within) != 0;
    }
    for (const std::size_t k : context.arrays) {
        if (choice.shifted && baked.operands[k].access == Access::vector &&
            !is_aligned_alike(context, *first, k, axis, baked.vector))
            baked.operands[k].access = Access::singles;
    }
    return true;
}

// Returns the number of threads whose vectors are whole lines together.
std::int64_t period_of(const PlanContext& context, const Baked& baked) {
    const std::int64_t columns = columns_of(context);
    return columns / std::gcd(columns, std::int64_t{baked.vector});
}

// Whether shared memory has room for two lines of accumulators, whose size is not known: an average of numbers and a number of
// elements are among the largest.
bool has_room(const PlanContext& context) {
    std::int64_t widest = word_bytes;
    for (const std::size_t k : context.arrays) widest = std::max(widest, context.item(k));
    return 2 * columns_of(context) * most_folds(context) * (8 + 2 * widest) <= room_bytes;
}

RowWork dense_work(const PlanContext& context, const Baked& baked) {
    const Walk& walk = context.walk;
    const auto& choice = baked.as<FusedColumnsChoice>();
    const std::int64_t columns = columns_of(context);
    const std::int64_t all =
        walk.reduced_count() * columns + (choice.shifted ? baked.vector - 1 : 0);
    return {.sets = std::max<std::int64_t>(walk.kept_count() / columns, 1),
            .accesses = ceil_div(all, baked.vector)};
}

}  // namespace

std::int64_t dense_lanes(const PlanContext& context, const Baked& baked, std::int64_t threads) {
    const std::int64_t period = period_of(context, baked);
    return threads / period * period;
}

bool choose_dense_columns(const PlanContext& context, Baked& baked) {
    const Walk& walk = context.walk;
    if (context.rank() != walk.kept + 1 || columns_of(context) < 2 || walk.reduced_count() < 2)
        return false;
    // Indices of elements are counted row by row.
    if (baked.counts_reduced || !context.request.signature.definition().rows->draws.empty())
        return false;
    FusedColumnsChoice choice{.dense = true};
    if (!has_room(context) || !bake_vectors(context, baked, choice)) return false;
    const std::int64_t period = period_of(context, baked);
    if (period > most_period) return false;
    baked.choice = choice;
    const RowWork work = dense_work(context, baked);
    const auto lanes = [&](std::int64_t threads) { return dense_lanes(context, baked, threads); };
    // As if the threads without elements had some too.
    RowWork filled = work;
    filled.accesses = ceil_div(work.accesses * most_period, lanes(most_period));
    Team team = team_for(context,
                         baked,
                         filled,
                         accesses_in_flight,
                         std::max<std::int64_t>(ceil_power(period), warp_lanes));
    const std::int64_t used = lanes(team.threads);
    const std::int64_t each = ceil_div(work.accesses, used * team.blocks);
    if (each > most_kept(context, baked)) team.each = 0;
    if (team.each > 0) team.each = each;
    team.whole = team.each > 0 && !choice.shifted && each * used * team.blocks == work.accesses;
    team.threads = static_cast<int>(ceil_div(used, warp_lanes) * warp_lanes);
    bake_team(team, baked, choice);
    baked.block_bound = team.threads;
    // A single pass ends before the blocks of the whole grid have met.
    if (reads_once(context) && (choice.shifted || spreads(context, team, filled))) return false;
    if (spreads(context, team, filled)) bake_spread(context, filled, baked, choice);
    baked.choice = choice;
    baked.index_width = fold_index_width(
        context, walk.reduced_count() * columns_of(context) + (choice.spread ? spread_slack : 0));
    baked.width = context.offset_width();
    return true;
}

Geometry measure_dense_columns(const PlanContext& context, const Baked& baked) {
    const Walk& walk = context.walk;
    const auto& choice = baked.as<FusedColumnsChoice>();
    const std::int64_t columns = columns_of(context);
    const RowWork work = dense_work(context, baked);
    FusedTeams teams = {};
    teams.row = walk.reduced_count() * columns;
    teams.columns = columns;
    teams.by_tiles = make_divisor32(columns);
    teams.lanes = static_cast<int>(dense_lanes(context, baked, choice.team));
    teams.tiles = static_cast<unsigned>(work.sets);
    Geometry geometry;
    geometry.threads = baked.block_bound;
    if (choice.spread) {
        measure_spread(context, work, choice.held, static_cast<int>(columns), teams, geometry);
    } else {
        geometry.blocks =
            count_blocks(context.request, work.sets * choice.blocks, 1, geometry.threads);
    }
    geometry.own = teams;
    return geometry;
}

std::string describe_dense_columns(const Baked& baked) {
    const auto& choice = baked.as<FusedColumnsChoice>();
    return fmt::format("all neighbouring rows by {}teams of {} threads{}, {} an access, {}",
                       choice.spread       ? "blocks in "
                       : choice.blocks > 1 ? fmt::format("clusters of {} ", choice.blocks)
                                           : "",
                       choice.team,
                       choice.shifted ? ", which begin anywhere" : "",
                       count_of(baked.vector, "element"),
                       held_text(choice.held, choice.spread));
}

}  // namespace kgen
