// SPDX-License-Identifier: MIT
//
// The loops of row kernels on CUDA whose rows lie along memory. A row is read once and kept in registers if it fits there, in
// those of a cluster of thread blocks if need be.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "plan/contest.hpp"
#include "plan/cost_cuda.hpp"
#include "plan/row_team.hpp"

namespace kgen {

namespace {

constexpr std::int64_t wide_access = 8;  // bytes of an access that is about as good as one of 16

// Bakes vectors that begin anywhere in a row, if rows permit only narrow ones. Returns whether it does.
bool bake_shifted(const PlanContext& context, int axis, Baked& baked) {
    if (axis < 0 || context.rank() != context.walk.kept + 1) return false;
    std::int64_t widest = 0;
    std::optional<std::size_t> first;
    for (const std::size_t k : context.arrays) {
        if (!is_neighbour(context, k, axis)) continue;
        widest = std::max(widest, context.item(k));
        // Arrays that repeat from row to row have another alignment than the rows.
        const bool moves = !context.is_broadcast(k);
        if (moves && !first) first = k;
    }
    if (!first || baked.vector * widest >= wide_access) return false;
    const int vector = static_cast<int>(access_bytes / widest);
    if (context.walk.extents[axis] < 2 * vector) return false;
    baked.vector = vector;
    for (const std::size_t k : context.arrays) {
        if (is_neighbour(context, k, axis) && !is_aligned_alike(context, *first, k, axis, vector))
            baked.operands[k].access = Access::singles;
    }
    return true;
}

// Whether vectors that begin anywhere in a row begin at indices that are multiples of 4, as blocks of random numbers do.
bool has_shifted_draws(const PlanContext& context, const Baked& baked) {
    if (context.any_size() || !context.draws_neighbours()) return false;
    const auto index = static_cast<std::size_t>(PlaceIndex::input);
    for (const std::size_t k : context.arrays) {
        if (baked.operands[k].access != Access::vector) continue;
        const auto is_alike = [&](std::int64_t bytes, std::int64_t place) {
            return (bytes / context.item(k) - place) % 4 == 0;
        };
        bool fits = is_alike(static_cast<std::int64_t>(context.begin(k) % 256),
                             context.walk.index_begins[index]);
        for (int axis = 0; axis < context.walk.kept; ++axis)
            fits = fits &&
                   is_alike(context.stride(k, axis), context.walk.index_strides.at(index, axis));
        return fits;
    }
    return false;
}

RowWork row_work(const PlanContext& context, const Baked& baked) {
    const std::int64_t row = std::max<std::int64_t>(context.walk.reduced_count(), 1);
    const bool is_shifted = baked.as<FusedRowsChoice>().shifted;
    return {.sets = std::max<std::int64_t>(context.walk.kept_count(), 1),
            .accesses = ceil_div(row + (is_shifted ? baked.vector - 1 : 0), baked.vector)};
}

// Whether half as many threads with `each` accesses are better: if fewer are without an element, or if the rows come from the
// L2 cache and enough threads are left, because the threads of a smaller team wait for each other less. On an H200, layer norms of 1319 rows of 4096
// float32 take 7.4 us instead of 8.7 and RMS norms of 7981 rows of 1065 float16 7.0 instead of 9.0; softmaxes of 2196 rows of 1024
// float32 would take 4.6 instead of 3.9, and those of 30201 rows of 960 a fiftieth more.
bool suits_half(const PlanContext& context,
                const Baked& baked,
                const RowWork& work,
                const Team& team,
                std::int64_t half,
                std::int64_t each) {
    constexpr double cached_bytes = 50e6;
    constexpr std::int64_t most_each = 8;
    constexpr std::int64_t most_elements = 32;
    const bool is_narrow = baked.vector > access_bytes / word_bytes;
    const bool is_fuller = each * half < team.each * team.threads;
    if (is_fuller && (half != warp_lanes || is_narrow)) return true;
    if (half < warp_lanes || each > most_each || each * baked.vector > most_elements) return false;
    double bytes = 0;
    for (const std::size_t k : context.arrays) {
        if (!has_row_elements(context, k) || baked.operands[k].access == Access::uniform) continue;
        const std::int64_t rows = context.is_broadcast(k) ? 1 : work.sets;
        bytes += static_cast<double>(context.item(k) * context.walk.reduced_count() * rows);
    }
    const std::int64_t threads = work.sets * half;
    return (half == warp_lanes && each <= accesses_in_flight && threads >= working_threads / 2) ||
           (bytes <= cached_bytes && threads >= working_threads * 3 / 4);
}

Team row_team(const PlanContext& context, const Baked& baked, const RowWork& work) {
    // Narrow elements take more instructions than memory accesses: fewer threads without an element, fewer shuffles.
    const bool is_narrow = baked.vector > access_bytes / word_bytes;
    const std::int64_t least = ceil_power(std::min<std::int64_t>(work.accesses, is_narrow ? 4 : 8));
    Team team = team_for(context, baked, work, accesses_in_flight, least);
    const std::int64_t half = std::max(team.threads / 2, 1);
    const std::int64_t each = ceil_div(work.accesses, half);
    if (team.blocks == 1 && half >= least && each <= most_kept(context, baked) &&
        suits_half(context, baked, work, team, half, each))
        team = {static_cast<int>(half), 1, each, each * half == work.accesses};
    team.whole = team.whole && !baked.as<FusedRowsChoice>().shifted;
    return team;
}

// Bakes a team for vectors that begin where rows do, or else anywhere if only narrow ones begin there.
void bake_rows(const PlanContext& context, bool may_shift, Baked& baked) {
    const Walk& walk = context.walk;
    const int inner = walk.rank() > walk.kept ? walk.rank() - 1 : -1;
    bake_accesses(context, inner, false, baked);
    FusedRowsChoice choice;
    choice.shifted = may_shift && bake_shifted(context, inner, baked);
    baked.draws_neighbours =
        choice.shifted ? has_shifted_draws(context, baked) : has_drawn_slots(context);
    baked.choice = choice;
    const RowWork work = row_work(context, baked);
    const Team team = row_team(context, baked, work);
    bake_team(team, baked, choice);
    baked.block_bound = team.threads > warp_lanes ? team.threads : team_block;
    if (spreads(context, team, work)) bake_spread(context, work, baked, choice);
    baked.choice = choice;
    baked.index_width =
        fold_index_width(context, walk.reduced_count() + (choice.spread ? spread_slack : 0));
    baked.width = context.offset_width();
}

bool choose_fused_rows(const PlanContext& context, Baked& baked) {
    const Walk& walk = context.walk;
    if (!walk.inner_reduced && walk.kept > 0 && context.request.loop_name.empty()) return false;
    Baked aligned = baked;
    bake_rows(context, true, baked);
    if (!baked.as<FusedRowsChoice>().shifted || walk.kept_count() == 0) return true;
    // Vectors of a few narrow elements need no tests: layer norms of 44082 rows of 122 float16 take 6.1 us instead of 10.1, but
    // log-softmaxes of 2205 rows of 3810 take 13.0 instead of 9.4.
    bake_rows(context, false, aligned);
    if (aligned.vector > 1 && aligned.as<FusedRowsChoice>().team <= warp_lanes)
        Contest(context, fused_rows_loop, baked).offer(aligned, 0.95);
    return true;
}

Geometry measure_fused_rows(const PlanContext& context, const Baked& baked) {
    const auto& choice = baked.as<FusedRowsChoice>();
    FusedTeams teams = {};
    teams.row = context.walk.reduced_count();
    Geometry geometry;
    geometry.threads = baked.block_bound;
    if (choice.spread) {
        measure_spread(context, row_work(context, baked), choice.held, 1, teams, geometry);
    } else {
        geometry.blocks = count_blocks(context.request,
                                       context.walk.kept_count() * choice.blocks,
                                       geometry.threads / choice.team,
                                       geometry.threads);
    }
    geometry.own = teams;
    return geometry;
}

std::string describe_fused_rows(const Baked& baked) {
    const auto& choice = baked.as<FusedRowsChoice>();
    const std::string team =
        choice.team <= warp_lanes ? "threads of one warp"
        : choice.spread           ? fmt::format("teams of blocks of {} threads", baked.block_bound)
        : choice.blocks > 1
            ? fmt::format("clusters of {} blocks of {} threads", choice.blocks, baked.block_bound)
            : fmt::format("blocks of {} threads", baked.block_bound);
    return fmt::format("rows by {}{}, {} an access, {}",
                       team,
                       choice.shifted ? ", which begin anywhere" : "",
                       count_of(baked.vector, "element"),
                       held_text(choice.held, choice.spread));
}

std::vector<std::string> explain_fused_rows(const PlanRequest&,
                                            const Plan& plan,
                                            const LoopStruct& own) {
    const auto& teams = std::get<FusedTeams>(own);
    const auto& choice = plan.baked.as<FusedRowsChoice>();
    const std::int64_t threads =
        std::int64_t{choice.team} * (choice.spread ? teams.blocks : choice.blocks);
    const bool is_kept = threads * choice.held * plan.baked.vector >= teams.row;
    return {fmt::format("team: {} have a row of {}; {}",
                        count_of(threads, "thread"),
                        count_of(teams.row, "element"),
                        is_kept            ? "it is read once"
                        : choice.held == 0 ? "each pass reads it"
                                           : "each pass reads what threads cannot keep")};
}

}  // namespace

constinit const Loop fused_rows_loop = {
    .kind = LoopKind::fused_rows,
    .name = "fused_rows",
    .when = "the inputs are closest in memory along the rows",
    .why = "a team of threads reads a row together, folds it, and has it at hand for the next pass",
    .choose = choose_fused_rows,
    .measure = measure_fused_rows,
    .describe = describe_fused_rows,
    .predict = predict_fused_rows,
    .explain = explain_fused_rows,
    .own = FusedTeams{},
    .own_text = "kgen_fused_teams kgen_teams",
    .has_reach = true};

}  // namespace kgen
