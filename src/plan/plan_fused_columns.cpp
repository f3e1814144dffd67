// SPDX-License-Identifier: MIT
//
// The loop of row kernels on CUDA whose rows lie beside each other.
#include <fmt/format.h>

#include <algorithm>

#include "plan/cost_cuda.hpp"
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

// Returns how many threads are side by side, with a vector of columns each: at most as many as read a line of 128 bytes. Fewer
// of them keep longer rows in registers, and give more teams, but rows of memory that begin within a sector of 32 bytes
// are read in sectors of which the first and the last have elements of other teams.
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
    if (best_team.each > 0 && !reads_once(context)) return best;
    const auto block_count = [&] {
        return teams_across(best) * walk.kept_count() / columns *
               column_team(context, baked, column_work(context, baked, best)).blocks;
    };
    while (best > lanes(memory_bytes) && block_count() < busy_blocks) best /= 2;
    return best;
}

bool choose_fused_columns(const PlanContext& context, Baked& baked) {
    const Walk& walk = context.walk;
    if (walk.kept == 0) return false;
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
    return true;
}

Geometry measure_fused_columns(const PlanContext& context, const Baked& baked) {
    const Walk& walk = context.walk;
    const auto& choice = baked.as<FusedColumnsChoice>();
    FusedTeams teams = {};
    teams.row = walk.reduced_count();
    teams.columns = walk.extents[walk.kept - 1];
    const std::int64_t tiles = ceil_div(teams.columns, std::int64_t{choice.across} * baked.vector);
    teams.by_tiles = make_divisor32(static_cast<std::uint32_t>(tiles));
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
    .own_text = "kgen_fused_teams kgen_teams"};

}  // namespace kgen
