// SPDX-License-Identifier: MIT
//
// The loop of row kernels on CUDA whose rows lie beside each other.
#include <fmt/format.h>

#include <algorithm>

#include "plan/contest.hpp"
#include "plan/cost_cuda.hpp"
#include "plan/dense_columns.hpp"
#include "plan/row_team.hpp"

namespace kgen {

namespace {

constexpr std::int64_t whole_line_bytes = 128;

// Returns how many threads side by side access so many bytes of each array.
std::int64_t lanes_across(const PlanContext& context, const Baked& baked, std::int64_t bytes) {
    const Walk& walk = context.walk;
    const std::int64_t columns = std::max<std::int64_t>(walk.extents[walk.kept - 1], 1);
    const std::int64_t item = std::max<std::int64_t>(widest_along(context, walk.kept - 1), 1);
    return std::min(ceil_power(ceil_div(bytes, item * baked.vector)),
                    ceil_power(ceil_div(columns, baked.vector)));
}

RowWork column_work(const PlanContext& context, const Baked& baked, std::int64_t across) {
    const Walk& walk = context.walk;
    const std::int64_t columns = std::max<std::int64_t>(walk.extents[walk.kept - 1], 1);
    const std::int64_t tiles =
        ceil_div(columns, across * baked.vector) * walk.kept_count() / columns;
    return {.sets = std::max<std::int64_t>(tiles, 1),
            .accesses = walk.reduced_count() * across,
            .across = across};
}

Team column_team(const PlanContext& context, const Baked& baked, const RowWork& work) {
    constexpr std::int64_t usual = 8;  // accesses of a thread
    return team_for(context, baked, work, usual, std::max<std::int64_t>(work.across, warp_lanes));
}

// Whether there are many teams, and several of them beside each other, if so many threads are side by side.
bool are_many(const PlanContext& context, const Baked& baked, std::int64_t across) {
    constexpr std::int64_t many_teams = 4 * busy_blocks;
    return context.walk.extents[context.walk.kept - 1] >= 8 * across * baked.vector &&
           column_work(context, baked, across).sets >= many_teams;
}

// Changes the number of threads side by side, which keep their rows in one block. Lines that begin within a sector share fewer of
// them with others if they are twice as long: RMS norms of 128 rows of 116591 float16 take 29.6 us instead of 34.1. Elements that
// are narrower than a word need so many instructions that two blocks should take turns: softmaxes of 576 rows of 131383 float16
// take 214 us with blocks of 512 threads instead of 259 with 1024 (H100).
std::int64_t fit_lines(const PlanContext& context, const Baked& baked, std::int64_t across) {
    const Walk& walk = context.walk;
    const std::int64_t item = widest_along(context, walk.kept - 1);
    const auto team_of = [&](std::int64_t each) {
        return column_team(context, baked, column_work(context, baked, each));
    };
    const Team team = team_of(across);
    if (team.blocks > 1 || item * baked.vector >= word_bytes) return across;
    if (team.threads > spread_threads) {
        const Team half = team_of(across / 2);
        return half.each > 0 && half.blocks == 1 && half.threads <= spread_threads ? across / 2
                                                                                   : across;
    }
    const Team twice = team_of(2 * across);
    const bool is_aligned = walk.extents[walk.kept - 1] * item % 32 == 0;
    return !is_aligned && twice.each > 0 && twice.blocks == 1 && twice.threads <= spread_threads &&
                   are_many(context, baked, 2 * across)
               ? 2 * across
               : across;
}

// Returns how many threads are side by side, with a vector of columns each: at most as many as read a line of 128 bytes. Fewer
// of them keep longer rows in registers, and give more teams, but rows of memory that begin within a sector of 32 bytes
// are read in sectors of which the first and the last have elements of other teams. So rows that are read once have lines of up to
// 512 bytes if teams are many: cosines of 256 rows of 513482 float16 take 189 us instead of 193.
std::int64_t threads_across(const PlanContext& context, const Baked& baked) {
    constexpr std::int64_t memory_bytes = 64, sector_bytes = 32;
    const Walk& walk = context.walk;
    const std::int64_t columns = std::max<std::int64_t>(walk.extents[walk.kept - 1], 1);
    const auto lanes = [&](std::int64_t bytes) { return lanes_across(context, baked, bytes); };
    const bool is_aligned = columns * widest_along(context, walk.kept - 1) % sector_bytes == 0;
    const auto teams_across = [&](std::int64_t across) {
        return ceil_div(columns, across * baked.vector);
    };
    std::int64_t best = lanes(whole_line_bytes);
    Team best_team = column_team(context, baked, column_work(context, baked, best));
    const std::int64_t least = lanes(is_aligned ? sector_bytes : memory_bytes);
    for (std::int64_t across = best / 2; across >= least && !reads_once(context); across /= 2) {
        const Team team = column_team(context, baked, column_work(context, baked, across));
        const bool keeps_more =
            team.each > 0 && (best_team.each == 0 || team.parts() < best_team.parts());
        // Fewer threads without a column, by a tenth.
        const bool is_fuller = team.parts() == best_team.parts() &&
                               (team.each > 0) == (best_team.each > 0) &&
                               teams_across(across) * across * 10 < teams_across(best) * best * 9;
        if (!keeps_more && !is_fuller) continue;
        best = across;
        best_team = team;
    }
    if (best_team.each > 0 && !reads_once(context)) return fit_lines(context, baked, best);
    const auto block_count = [&] {
        return teams_across(best) * walk.kept_count() / columns *
               column_team(context, baked, column_work(context, baked, best)).blocks;
    };
    while (best > lanes(memory_bytes) && block_count() < busy_blocks) best /= 2;
    while (reads_once(context) && !is_aligned && best < lanes(4 * whole_line_bytes) &&
           are_many(context, baked, 2 * best))
        best *= 2;
    return best;
}

bool choose_fused_columns(const PlanContext& context, Baked& baked) {
    const Walk& walk = context.walk;
    if (walk.kept == 0) return false;
    Baked dense = baked;
    bake_accesses(context, walk.kept - 1, true, baked);
    FusedColumnsChoice choice;
    choice.across = static_cast<int>(threads_across(context, baked));
    const RowWork work = column_work(context, baked, choice.across);
    const Team team = column_team(context, baked, work);
    bake_team(team, baked, choice);
    baked.block_bound = team.blocks > 1 ? team.threads : std::max(team.threads, team_block);
    if (spreads(context, team, work)) {
        constexpr std::int64_t most_width = 64;  // accumulators have room in shared memory
        choice.across = static_cast<int>(
            std::min(lanes_across(context, baked, whole_line_bytes), most_width / baked.vector));
        bake_spread(context, column_work(context, baked, choice.across), baked, choice);
    }
    baked.choice = choice;
    baked.index_width =
        fold_index_width(context, walk.reduced_count() + (choice.spread ? spread_slack : 0));
    baked.width = context.offset_width();
    // Accesses of neighbouring rows need no accumulators in shared memory for each of their elements.
    constexpr int widened = 4;
    if (choose_dense_columns(context, dense) && dense.vector >= widened * baked.vector)
        Contest(context, fused_columns_loop, baked).offer(dense, 0.95);
    return true;
}

Geometry measure_fused_columns(const PlanContext& context, const Baked& baked) {
    const Walk& walk = context.walk;
    const auto& choice = baked.as<FusedColumnsChoice>();
    if (choice.dense) return measure_dense_columns(context, baked);
    FusedTeams teams = {};
    teams.row = walk.reduced_count();
    teams.columns = walk.extents[walk.kept - 1];
    const std::int64_t tiles = ceil_div(teams.columns, std::int64_t{choice.across} * baked.vector);
    teams.by_tiles = make_divisor32(tiles);
    const std::int64_t all_tiles = walk.kept_count() / teams.columns * tiles;
    Geometry geometry;
    geometry.threads = baked.block_bound;
    if (choice.spread) {
        measure_spread(context,
                       column_work(context, baked, choice.across),
                       choice.held,
                       choice.across * baked.vector,
                       teams,
                       geometry);
    } else {
        geometry.blocks = count_blocks(context.request,
                                       all_tiles * choice.blocks,
                                       geometry.threads / choice.team,
                                       geometry.threads);
    }
    teams.tiles = static_cast<unsigned>(all_tiles);
    geometry.own = teams;
    return geometry;
}

std::string describe_fused_columns(const Baked& baked) {
    const auto& choice = baked.as<FusedColumnsChoice>();
    if (choice.dense) return describe_dense_columns(baked);
    return fmt::format(
        "neighbouring rows by {}teams of {} threads, {} side by side, {} an access, {}",
        choice.spread       ? "blocks in "
        : choice.blocks > 1 ? fmt::format("clusters of {} ", choice.blocks)
                            : "",
        choice.team,
        choice.across,
        count_of(baked.vector, "element"),
        held_text(choice.held, choice.spread));
}

}  // namespace

constinit const Loop fused_columns_loop = {
    .kind = LoopKind::fused_columns,
    .name = "fused_columns",
    .when = "any other layout, or if it is predicted to be quicker",
    .why = "neighbouring threads read neighbouring rows, so that their accesses cover whole lines",
    .choose = choose_fused_columns,
    .measure = measure_fused_columns,
    .describe = describe_fused_columns,
    .predict = predict_fused_columns,
    .own = FusedTeams{},
    .own_text = "kgen_fused_teams kgen_teams",
    .has_reach = true};

}  // namespace kgen
