// SPDX-License-Identifier: MIT
//
// The loops of row kernels on CUDA. A row is read once and kept in registers if it fits there, in those of a cluster of
// thread blocks if need be.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "plan/plan_cuda.hpp"
#include "plan/row_spread.hpp"

namespace kgen {

namespace {

// Most bytes and elements that a thread keeps of its inputs: half of its registers.
constexpr std::int64_t most_kept_bytes = 128;
constexpr std::int64_t most_kept_elements = 32;
constexpr std::int64_t most_accesses = 32;
constexpr int most_cluster = 8;        // thread blocks, on every GPU that has clusters
constexpr int team_block = 256;        // threads of a block whose teams have up to 32 threads
constexpr int most_row_threads = 512;  // of a block: two blocks of a multiprocessor take turns
// Copies of the texts cost compile time: at most so many tokens and functions.
constexpr double most_cloned_size = 32768;
constexpr std::int64_t wide_access = 8;  // bytes of an access that is about as good as one of 16

bool is_neighbour(const PlanContext& context, std::size_t k, int axis) {
    return axis >= 0 && context.stride(k, axis) == context.item(k);
}

// Bakes the largest vectors with which all neighbouring elements along the axis can be accessed. Rows of `extent` elements
// consist of whole vectors.
void bake_vector(const PlanContext& context, int axis, Baked& baked) {
    const std::int64_t extent = axis < 0 ? 1 : context.walk.extents[axis];
    std::int64_t widest = 0;
    for (const std::size_t k : context.arrays) {
        if (is_neighbour(context, k, axis)) widest = std::max(widest, context.item(k));
    }
    baked.vector = widest == 0 ? 1 : static_cast<int>(access_bytes / widest);
    const auto fits = [&] {
        return extent % baked.vector == 0 &&
               std::all_of(context.arrays.begin(), context.arrays.end(), [&](std::size_t k) {
                   return !is_neighbour(context, k, axis) ||
                          is_aligned(context, k, axis, baked.vector);
               });
    };
    while (baked.vector > 1 && !fits()) baked.vector /= 2;
}

// Bakes how the arrays are accessed. In fused_columns an array is uniform if its elements are the same along the axis, in
// fused_rows if those of a whole row are.
void bake_accesses(const PlanContext& context, int axis, bool by_columns, Baked& baked) {
    bake_vector(context, axis, baked);
    for (const std::size_t k : context.arrays) {
        bool is_uniform = axis < 0 || context.stride(k, axis) == 0;
        for (int other = context.walk.kept; other < context.rank() && !by_columns; ++other)
            is_uniform = is_uniform && context.stride(k, other) == 0;
        baked.operands[k].access = is_neighbour(context, k, axis) ? Access::vector
                                   : is_uniform                   ? Access::uniform
                                                                  : Access::elements;
    }
}

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

// Returns the number of accesses that a thread can keep; 0 if the texts are too long for that many copies.
std::int64_t most_kept(const PlanContext& context, const Baked& baked) {
    std::int64_t bytes = 0;
    for (const std::size_t k : context.arrays) {
        if (!context.is_written(k) && baked.operands[k].access != Access::uniform)
            bytes += context.item(k);
    }
    const BodyFacts& facts = context.request.signature.facts;
    const double size = 0.25 * static_cast<double>(facts.token_count) + 20 * facts.work;
    const auto elements =
        std::min({most_kept_elements,
                  most_kept_bytes / std::max<std::int64_t>(bytes, 1),
                  static_cast<std::int64_t>(most_cloned_size / std::max(size, 1.0))});
    return std::min<std::int64_t>(elements / baked.vector, most_accesses);
}

bool has_clusters(const PlanContext& context) {
    const std::string_view arch = context.request.target.arch;  // sm_90, sm_100
    return arch.size() > 5 || arch >= "sm_90";
}

// The threads that share `accesses` accesses: those of a row, or of neighbouring rows.
struct Team {
    int threads = most_row_threads;  // of a block
    int blocks = 1;
    std::int64_t each = 0;  // accesses of a thread; 0 if it cannot keep them
};

// Returns the team for each of `teams` such sets. `usual` is the number of accesses of a thread if there is enough work for
// all threads of the device.
Team team_for(const PlanContext& context,
              std::int64_t accesses,
              std::int64_t teams,
              std::int64_t usual,
              std::int64_t most,
              std::int64_t least) {
    // Blocks of a cluster wait for each other, which takes longer than a few accesses more of a thread.
    const bool may_cluster = has_clusters(context) && ceil_div(accesses, most_row_threads) > usual;
    const std::int64_t most_of_all =
        std::int64_t{most_row_threads} * (may_cluster ? most_cluster : 1);
    const std::int64_t wanted =
        std::clamp<std::int64_t>(accesses * std::max<std::int64_t>(teams, 1) / working_threads,
                                 1,
                                 std::min(usual, std::max<std::int64_t>(most, 1)));
    std::int64_t threads =
        std::clamp<std::int64_t>(ceil_power(ceil_div(accesses, wanted)), least, most_of_all);
    // A cluster only if one block could not keep what the cluster keeps, or if blocks would be too few.
    const bool keeps = ceil_div(accesses, threads) <= most;
    while (threads > most_row_threads && teams * (threads / 2) >= working_threads &&
           (!keeps || ceil_div(accesses, threads / 2) <= most))
        threads /= 2;
    Team team;
    team.threads = static_cast<int>(std::min<std::int64_t>(threads, most_row_threads));
    team.blocks = static_cast<int>(threads / team.threads);
    const std::int64_t each = ceil_div(accesses, threads);
    team.each = each <= most ? each : 0;
    return team;
}

RowWork row_work(const PlanContext& context, const Baked& baked) {
    const std::int64_t row = std::max<std::int64_t>(context.walk.reduced_count(), 1);
    const bool is_shifted = baked.as<FusedRowsChoice>().shifted;
    return {.sets = std::max<std::int64_t>(context.walk.kept_count(), 1),
            .accesses = ceil_div(row + (is_shifted ? baked.vector - 1 : 0), baked.vector)};
}

Team row_team(const PlanContext& context, const Baked& baked) {
    const RowWork work = row_work(context, baked);
    return team_for(context,
                    work.accesses,
                    work.sets,
                    accesses_in_flight,
                    most_kept(context, baked),
                    ceil_power(std::min<std::int64_t>(work.accesses, 8)));
}

bool choose_fused_rows(const PlanContext& context, Baked& baked) {
    const Walk& walk = context.walk;
    if (!walk.inner_reduced && walk.kept > 0 && context.request.loop_name.empty()) return false;
    const int inner = walk.rank() > walk.kept ? walk.rank() - 1 : -1;
    bake_accesses(context, inner, false, baked);
    FusedRowsChoice choice;
    choice.shifted = bake_shifted(context, inner, baked);
    baked.choice = choice;
    const Team team = row_team(context, baked);
    choice.held = static_cast<int>(team.each);
    choice.blocks = team.blocks;
    choice.block_team = team.threads > warp_lanes;
    const RowWork work = row_work(context, baked);
    choice.spread = team.each == 0 && wants_spread(work, team.blocks);
    if (choice.spread) {
        choice.held = spread_held(context, work, most_kept(context, baked));
        choice.blocks = 1;
    }
    baked.block_bound = choice.block_team ? team.threads : team_block;
    baked.choice = choice;
    baked.index_width =
        fold_index_width(context, walk.reduced_count() + (choice.spread ? spread_slack : 0));
    return true;
}

Geometry measure_fused_rows(const PlanContext& context, const Baked& baked) {
    const Team team = row_team(context, baked);
    FusedTeams teams = {};
    teams.row = context.walk.reduced_count();
    teams.team = team.threads;
    Geometry geometry;
    geometry.threads = baked.block_bound;
    if (const auto& choice = baked.as<FusedRowsChoice>(); choice.spread) {
        measure_spread(context, row_work(context, baked), choice.held, 1, teams, geometry);
    } else {
        geometry.blocks = count_blocks(context.request,
                                       context.walk.kept_count() * team.blocks,
                                       geometry.threads / team.threads,
                                       geometry.threads);
    }
    geometry.own = teams;
    return geometry;
}

std::string held_text(int held, bool spread) {
    if (held == 0) return "read again in each pass";
    return fmt::format(
        "{} kept{}", count_of(held, "access"), spread ? ", the rest read again in each pass" : "");
}

std::string describe_fused_rows(const Baked& baked) {
    const auto& choice = baked.as<FusedRowsChoice>();
    const std::string team =
        !choice.block_team ? "threads of one warp"
        : choice.spread    ? fmt::format("teams of blocks of {} threads", baked.block_bound)
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
        std::int64_t{teams.team} * (choice.spread ? teams.blocks : choice.blocks);
    const bool is_kept = threads * choice.held * plan.baked.vector >= teams.row;
    return {fmt::format("team: {} have a row of {}; {}",
                        count_of(threads, "thread"),
                        count_of(teams.row, "element"),
                        is_kept            ? "it is read once"
                        : choice.held == 0 ? "each pass reads it"
                                           : "each pass reads what threads cannot keep")};
}

// Returns how many threads side by side access so many bytes of each array.
std::int64_t lanes_across(const PlanContext& context, const Baked& baked, std::int64_t bytes) {
    const Walk& walk = context.walk;
    const std::int64_t columns = std::max<std::int64_t>(walk.extents[walk.kept - 1], 1);
    const std::int64_t item = std::max<std::int64_t>(widest_along(context, walk.kept - 1), 1);
    return std::min(ceil_power(ceil_div(bytes, item * baked.vector)),
                    ceil_power(ceil_div(columns, baked.vector)));
}

// Returns how many threads are side by side, with a vector of columns each: as many as read a line of 128 bytes. Fewer of
// them keep longer rows in registers, and give more teams, but memory reads 64 bytes at least.
std::int64_t threads_across(const PlanContext& context, const Baked& baked) {
    constexpr std::int64_t line_bytes = 128, memory_bytes = 64, sector_bytes = 32;
    constexpr std::int64_t busy_blocks = 132;
    const Walk& walk = context.walk;
    const std::int64_t row = walk.reduced_count();
    const std::int64_t columns = std::max<std::int64_t>(walk.extents[walk.kept - 1], 1);
    const auto lanes = [&](std::int64_t bytes) { return lanes_across(context, baked, bytes); };
    const std::int64_t blocks = has_clusters(context) ? most_cluster : 1;
    const std::int64_t kept = most_kept(context, baked) * most_row_threads * blocks;
    std::int64_t across = lanes(line_bytes);
    while (across > lanes(sector_bytes) && row * across > kept) across /= 2;
    if (row * across <= kept) return across;
    across = lanes(line_bytes);
    const auto team_count = [&] {
        return ceil_div(columns, across * baked.vector) * walk.kept_count() / columns;
    };
    while (across > lanes(memory_bytes) && team_count() * blocks < busy_blocks) across /= 2;
    return across;
}

RowWork column_work(const PlanContext& context, const Baked& baked, std::int64_t across) {
    const Walk& walk = context.walk;
    const std::int64_t columns = std::max<std::int64_t>(walk.extents[walk.kept - 1], 1);
    const std::int64_t tiles =
        ceil_div(columns, across * baked.vector) * walk.kept_count() / columns;
    return {.sets = std::max<std::int64_t>(tiles, 1), .accesses = walk.reduced_count() * across};
}

Team column_team(const PlanContext& context, const Baked& baked) {
    constexpr std::int64_t usual = 8;  // accesses of a thread
    const std::int64_t across = baked.as<FusedColumnsChoice>().across;
    const RowWork work = column_work(context, baked, across);
    return team_for(context,
                    work.accesses,
                    work.sets,
                    usual,
                    most_kept(context, baked),
                    std::max<std::int64_t>(across, warp_lanes));
}

// Bakes teams of the whole grid if a team of `blocks` blocks cannot keep its columns.
void bake_spread_columns(const PlanContext& context,
                         int blocks,
                         Baked& baked,
                         FusedColumnsChoice& choice) {
    constexpr std::int64_t line_bytes = 128;
    constexpr std::int64_t most_width = 64;  // accumulators have room in shared memory
    const std::int64_t across =
        std::min(lanes_across(context, baked, line_bytes), most_width / baked.vector);
    choice.spread = wants_spread(column_work(context, baked, choice.across), blocks);
    if (!choice.spread) return;
    const RowWork work = column_work(context, baked, across);
    choice.across = static_cast<int>(across);
    choice.held = spread_held(context, work, most_kept(context, baked));
    choice.blocks = 1;
    choice.team = spread_threads;
}

bool choose_fused_columns(const PlanContext& context, Baked& baked) {
    const Walk& walk = context.walk;
    if (walk.kept == 0) return false;
    bake_accesses(context, walk.kept - 1, true, baked);
    FusedColumnsChoice choice;
    choice.across = static_cast<int>(threads_across(context, baked));
    baked.choice = choice;
    const Team team = column_team(context, baked);
    choice.held = static_cast<int>(team.each);
    choice.blocks = team.blocks;
    choice.team = team.threads;
    baked.block_bound = team.blocks > 1 ? team.threads : std::max(team.threads, team_block);
    if (team.each == 0) bake_spread_columns(context, team.blocks, baked, choice);
    baked.choice = choice;
    baked.index_width =
        fold_index_width(context, walk.reduced_count() + (choice.spread ? spread_slack : 0));
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

constinit const Loop fused_rows_loop = {
    .kind = LoopKind::fused_rows,
    .name = "fused_rows",
    .when = "the inputs are closest in memory along the rows",
    .why = "a team of threads reads a row together, folds it, and has it at hand for the next pass",
    .choose = choose_fused_rows,
    .measure = measure_fused_rows,
    .describe = describe_fused_rows,
    .explain = explain_fused_rows,
    .own = FusedTeams{},
    .own_text = "kgen_fused_teams kgen_teams"};

constinit const Loop fused_columns_loop = {
    .kind = LoopKind::fused_columns,
    .name = "fused_columns",
    .when = "any other layout",
    .why = "neighbouring threads read neighbouring rows, so that their accesses cover whole lines",
    .choose = choose_fused_columns,
    .measure = measure_fused_columns,
    .describe = describe_fused_columns,
    .own = FusedTeams{},
    .own_text = "kgen_fused_teams kgen_teams"};

}  // namespace kgen
