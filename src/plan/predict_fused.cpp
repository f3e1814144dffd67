// SPDX-License-Identifier: MIT
//
// The predicted times of the CUDA loops of row kernels.
#include <algorithm>
#include <cmath>
#include <variant>

#include "plan/cost_cuda.hpp"
#include "plan/dense_columns.hpp"
#include "plan/row_team.hpp"
#include "signature/lexed_definition.hpp"

namespace kgen {

namespace {

// What the counts of row kernels weigh, fitted to the times of 139 random statements on an H100: half of the launches lie within 15 %
// of their prediction, 70 % within 30 %. See benchmarks/results/2026-11-26-h100-row-choice.md. grid, rows_grid and
// shifted_rows_grid were lowered after these measurements, and not measured again. columns_grid, cluster_room and last_clusters are
// those of benchmarks/results/2026-11-27-h100-rows.md; column_clusters, packed and spilled were fitted to its 269 statements and to 52
// on an H200.
struct Weights {
    double fold = 0.025;      // steps that fold an element in one pass
    double long_fold = 0.03;  // for each token of a fold's text beyond fold_tokens
    double fold_tokens = 128;
    double test = 4.4;  // steps that test whether an element belongs to a row that begins anywhere
    double narrow = 0.04;   // steps that convert an element of 2 bytes
    double function = 0.8;  // passes share what functions compute
    double line = 0.45;  // passes through the L1 cache for each line of a warp's separate accesses
    double part = 0.6;   // parts of sectors, which the stores of other threads complete
    double read_again = 0.5;  // phases of each round of accesses, if passes read rows again
    // Phases in which a pass waits for its team: in one warp, in a thread block, in a cluster, in a block or a cluster that has
    // columns, in blocks of the whole grid.
    double warp = 0.015;
    double block = 0.13;
    double cluster = 1;
    double columns = 0.125;
    double dense = 0.3;
    double slot = 4;               // accesses for each slot of dense rows
    double column_clusters = 1.3;  // see cluster_factor
    double packed = 1.15;
    double spilled = 2.05;
    double large_cluster = 1.4;  // the time of clusters whose blocks leave no room for another
    double dense_grid = 2.05;
    double columns_cluster = 4;
    double grid = 3.5;
    // Phases until all blocks of a cluster run, and end: of rows, and of columns. Three layer norms of 7 to 10 us by clusters of rows on an
    // H200 took 0.54 to 0.78 of what 8 phases predict; with 3, a cosine of 3.6 us by another loop became one of 4.6.
    double cluster_start = 5;
    double column_cluster_start = 8;
    // Multiprocessors form groups of 16 or 18, which clusters of 8 do not fill: an H100 holds 30 clusters with two blocks on each
    // multiprocessor.
    double cluster_room = 0.91;
    double last_clusters = 0.6;
    // Times of launches in which the whole grid shares rows, to what the counts give.
    double rows_grid = 1.2;
    double shifted_rows_grid = 1.7;
    double columns_grid = 2.5;
    double cached_bytes =
        150e6;  // of the rows of all blocks; fewer stay in the L2 cache from pass to pass
};
constexpr Weights weights;
// Bytes of inputs in a thread's registers with which a multiprocessor holds two blocks of 512 threads, as the grid needs.
constexpr double most_spread_bytes = 128;

constexpr int largest_of_two = 512;  // threads of a block that leaves room for another one

// How threads walk rows. A team of the whole grid walks one row after the other.
struct RowWalk {
    double each = 0;           // accesses of a thread in a pass, over all of its rows
    double kept = 1;           // the share of them that it keeps
    double held = 0;           // accesses of a row that it keeps
    bool is_packed = false;    // as they were read
    double cluster = 1;        // blocks of a cluster, which share rows
    bool has_columns = false;  // rows lie beside each other
    bool is_tested = false;    // rows begin anywhere
    double merges = 0;         // exchanges of accumulators by a warp in a pass
    double wait_phases = 0;    // of a pass, for the other threads of the team
    double at_once = 0;  // the share of the rows that run at once; 0: as many as there is room for
    Dims lanes;          // elements that a warp accesses at once
    Dims block;          // elements of a thread block
};

// Sets what depends on the blocks that share a row, or a tile of rows: `accesses` accesses by `threads` threads of a block.
// Returns the number of the blocks.
template <typename Choice>
std::int64_t share_rows(const Choice& choice,
                        const FusedTeams& teams,
                        std::int64_t sets,
                        std::int64_t accesses,
                        int threads,
                        RowWalk& work) {
    const std::int64_t blocks = choice.spread ? teams.blocks : choice.blocks;
    const std::int64_t each = std::max<std::int64_t>(ceil_div(accesses, threads * blocks), 1);
    work.held = choice.held;
    work.is_packed = choice.packed;
    work.kept = std::min(1.0, static_cast<double>(choice.held) / static_cast<double>(each));
    work.each =
        static_cast<double>(choice.held > 0 ? std::max<std::int64_t>(each, choice.held) : each);
    work.cluster = choice.blocks;
    if (!choice.spread) return blocks;
    const std::int64_t turns = ceil_div(sets, teams.teams);
    work.at_once = static_cast<double>(teams.teams) / static_cast<double>(sets);
    work.each *= static_cast<double>(turns);
    work.wait_phases = weights.grid * static_cast<double>(turns);
    return blocks;
}

class FusedCounter {
public:
    FusedCounter(const PlanContext& context,
                 const Baked& baked,
                 const Geometry& geometry,
                 const RowWalk& work)
        : context_(context),
          baked_(baked),
          work_(work),
          passes_(context.request.signature.definition().rows->passes),
          warps_(static_cast<double>(geometry.blocks) * geometry.threads / warp_lanes) {
        cost_.blocks = static_cast<double>(geometry.blocks);
        cost_.threads = geometry.threads;
        const bool writes_elements =
            std::any_of(context.arrays.begin(), context.arrays.end(), [&](std::size_t k) {
                return context.is_written(k) && has_elements(k);
            });
        reads_ += (1 - work.kept) * (pass_count() - (writes_elements ? 0 : 1));
    }

    double predict() {
        for (const std::size_t k : context_.arrays) add_accesses(k);
        add_body();
        for (const RowDraw& each : context_.request.signature.definition().rows->draws)
            hold(static_cast<double>(item_size(each.dtype)));
        if (work_.at_once > 0) cost_.held_bytes = std::min(cost_.held_bytes, most_spread_bytes);
        cost_.accesses += warps_ * (3 + pass_count() * work_.merges);
        cost_.divisions += warps_ * context_.walk.kept;
        const double rounds =
            reads_ > 1 ? weights.read_again * reads_ * std::ceil(work_.each / together()) : 1;
        cost_.phases = rounds + pass_count() * work_.wait_phases +
                       (work_.cluster <= 1  ? 0
                        : work_.has_columns ? weights.column_cluster_start
                                            : weights.cluster_start);
        add_traffic(context_, work_.block, whole_boxes(context_, work_.block, cost_.blocks), cost_);
        if (reads_ > 1) repeat_traffic();
        return predicted_ns(cost_, context_) * last_clusters();
    }

private:
    double pass_count() const { return static_cast<double>(passes_.size()); }
    // Accesses of a thread that are in flight at once if it keeps none.
    double together() const { return baked_.vector > 1 ? 4 : 8; }
    // Elements that threads handle in a pass, in warps of them.
    double elements() const { return warps_ * work_.each * baked_.vector; }

    bool has_elements(std::size_t k) const { return has_row_elements(context_, k); }

    void add_accesses(std::size_t k) {
        const Access access = baked_.operands[k].access;
        if (!has_elements(k) || access == Access::uniform) {
            cost_.accesses += warps_;
            cost_.passes += warps_;
            return;
        }
        const bool is_written = context_.is_written(k);
        const bool is_vector = access == Access::vector;
        const auto item = static_cast<double>(context_.item(k));
        const double reads = is_written ? 1 : reads_;
        const double slots = warps_ * work_.each * (is_vector ? 1 : baked_.vector) * reads;
        const double lines = touched_units(context_, k, work_.lanes, access_line);
        cost_.accesses += slots * (is_written ? 2 : 1.5);
        cost_.passes += slots * std::clamp<double>(
                                    is_vector ? std::max(lines, dense_passes(item * baked_.vector))
                                              : weights.line * lines,
                                    1,
                                    warp_lanes);
        if (item == 2 && kind_of(context_.request.types.dtypes[k]) == DTypeKind::real)
            cost_.steps += weights.narrow * elements() *
                           (work_.is_packed && !is_written ? pass_count() + 1 : reads);
        if (is_written && !is_vector)
            cost_.parts += weights.part * slots * partial_sectors(context_, k, work_.lanes);
        if (!is_written) hold(item);
    }
    void hold(double item) {
        cost_.held_bytes += item * baked_.vector * std::max(work_.held, together());
    }

    void add_body() {
        const Signature& signature = context_.request.signature;
        cost_.tokens += elements() * static_cast<double>(signature.facts.token_count);
        cost_.functions += weights.function * elements() * signature.facts.work;
        double steps = 0;
        for (const RowPass& pass : passes_) {
            const auto tokens = static_cast<double>(signature.lexed->tokens_of(pass.reduce).size());
            steps += weights.fold + (work_.is_tested ? weights.test : 0) +
                     weights.long_fold * std::max(tokens - weights.fold_tokens, 0.0);
        }
        cost_.steps += elements() * steps;
    }

    // Blocks that a GPU holds at once.
    double room() const {
        return context_.limits.processor_count *
               kgen::blocks_at_once(cost_.threads, cost_.shared_bytes, 32 + cost_.held_bytes / 4);
    }
    // Returns the factor by which the launch takes longer because the last clusters run when the others have ended. It was
    // measured for columns.
    double last_clusters() const {
        if (work_.cluster < 8 || !work_.has_columns) return 1;
        const double at_once =
            std::max(1.0, std::floor(weights.cluster_room * room() / work_.cluster));
        const double turns = cost_.blocks / work_.cluster / at_once;
        return turns <= 1 ? 1 : 1 + weights.last_clusters * (std::ceil(turns) / turns - 1);
    }

    // Adds the traffic of the passes that read rows again: from memory if the rows that run at once do not stay in the L2
    // cache.
    void repeat_traffic() {
        double read = 0, all = 0;
        for (std::size_t at = 0; at < context_.arrays.size(); ++at) {
            const double bytes = context_.touched()[at].bytes;
            all += bytes;
            if (!context_.is_written(context_.arrays[at])) read += bytes;
        }
        cost_.cache_bytes *= 1 + (reads_ - 1) * read / all;
        const double at_once =
            work_.at_once > 0 ? work_.at_once : std::min(1.0, room() / cost_.blocks);
        if (read * (1 - work_.kept) * at_once > weights.cached_bytes) cost_.read_bytes *= reads_;
    }

    const PlanContext& context_;
    const Baked& baked_;
    const RowWalk& work_;
    const std::vector<RowPass>& passes_;
    double warps_;
    double reads_ = 1;  // times that the inputs are read
    Cost cost_;
};

}  // namespace

double predict_fused_rows(const PlanContext& context,
                          const Baked& baked,
                          const Geometry& geometry) {
    const Walk& walk = context.walk;
    const auto& choice = baked.as<FusedRowsChoice>();
    const int team = choice.team;
    const std::int64_t row = std::max<std::int64_t>(walk.reduced_count(), 1);
    const std::int64_t slots =
        ceil_div(row + (choice.shifted ? baked.vector - 1 : 0), baked.vector);
    const int team_lanes = std::min(team, warp_lanes);
    RowWalk work{.is_tested = choice.shifted && !choice.whole,
                 .lanes = Dims::filled(context.rank(), 1),
                 .block = Dims::filled(context.rank(), 1)};
    work.wait_phases = choice.blocks > 1   ? weights.cluster
                       : team > warp_lanes ? weights.block
                                           : weights.warp;
    const auto& teams = std::get<FusedTeams>(geometry.own);
    const std::int64_t blocks = share_rows(choice, teams, walk.kept_count(), slots, team, work);
    work.merges = std::log2(team_lanes) + (team > warp_lanes ? 6 : 0) + (blocks > 1 ? 10 : 0);
    fill_axes(context,
              work.lanes,
              walk.kept,
              context.rank(),
              std::min<std::int64_t>(slots, team_lanes) * baked.vector);
    fill_axes(context, work.lanes, 0, walk.kept, warp_lanes / team_lanes);
    fill_axes(context, work.block, walk.kept, context.rank(), ceil_div(row, blocks));
    fill_axes(context, work.block, 0, walk.kept, geometry.threads / team);
    const double slower = !choice.spread   ? 1
                          : choice.shifted ? weights.shifted_rows_grid
                                           : weights.rows_grid;
    return FusedCounter(context, baked, geometry, work).predict() * slower;
}

namespace {

// Returns the factor by which clusters that have columns take longer: more if threads keep many elements, and most if passes or
// elements then call functions or divide, because threads store some of what they keep.
double cluster_factor(const PlanContext& context, const FusedColumnsChoice& choice) {
    if (choice.blocks == 1) return 1;
    const bool calls = context.request.signature.facts.work >= 1;
    return weights.column_clusters * (!choice.packed ? 1
                                      : calls        ? weights.spilled
                                                     : weights.packed);
}

double predict_dense_columns(const PlanContext& context,
                             const Baked& baked,
                             const Geometry& geometry) {
    const Walk& walk = context.walk;
    const auto& choice = baked.as<FusedColumnsChoice>();
    const auto& teams = std::get<FusedTeams>(geometry.own);
    const std::int64_t slots = ceil_div(teams.row + baked.vector - 1, baked.vector);
    RowWalk work{.has_columns = true,
                 .is_tested = choice.shifted,
                 .lanes = Dims::filled(context.rank(), 1),
                 .block = Dims::filled(context.rank(), 1)};
    work.wait_phases = choice.blocks > 1 ? weights.columns_cluster : weights.dense;
    const std::int64_t blocks = share_rows(choice, teams, teams.tiles, slots, teams.lanes, work);
    if (choice.spread && divides_columns(teams)) work.wait_phases *= 2;
    // Each slot is written to shared memory, folded there and read again.
    work.merges = weights.slot * baked.vector + 8;
    const auto fill = [&](Dims& box, std::int64_t elements) {
        box[walk.kept - 1] = std::min<std::int64_t>(teams.columns, elements);
        box[walk.kept] =
            std::clamp<std::int64_t>(ceil_div(elements, teams.columns), 1, walk.reduced_count());
    };
    fill(work.lanes, std::int64_t{warp_lanes} * baked.vector);
    fill(work.block, ceil_div(teams.row, blocks));
    return FusedCounter(context, baked, geometry, work).predict() *
           cluster_factor(context, choice) *
           (choice.spread ? (blocks > 1 ? weights.dense_grid : weights.rows_grid) : 1);
}

}  // namespace

double predict_fused_columns(const PlanContext& context,
                             const Baked& baked,
                             const Geometry& geometry) {
    const Walk& walk = context.walk;
    const auto& choice = baked.as<FusedColumnsChoice>();
    if (choice.dense) return predict_dense_columns(context, baked, geometry);
    const std::int64_t row = std::max<std::int64_t>(walk.reduced_count(), 1);
    const std::int64_t columns = walk.extents[walk.kept - 1];
    const std::int64_t across = std::min(columns, std::int64_t{choice.across} * baked.vector);
    const int warp_across = std::min(choice.across, warp_lanes);
    RowWalk work{.has_columns = true,
                 .lanes = Dims::filled(context.rank(), 1),
                 .block = Dims::filled(context.rank(), 1)};
    const auto& teams = std::get<FusedTeams>(geometry.own);
    const int height = choice.team / choice.across;
    work.wait_phases = choice.blocks > 1 ? weights.columns_cluster : weights.columns;
    const std::int64_t blocks = share_rows(choice, teams, teams.tiles, row, height, work);
    if (height == 1 && blocks == 1) {
        work.wait_phases = 0;
    } else {
        work.merges = baked.vector * (std::log2(warp_lanes / warp_across) + 4);
    }
    work.lanes[walk.kept - 1] = std::min(columns, std::int64_t{warp_across} * baked.vector);
    fill_axes(context, work.lanes, walk.kept, context.rank(), warp_lanes / warp_across);
    fill_axes(context, work.block, walk.kept, context.rank(), ceil_div(row, blocks));
    fill_axes(context, work.block, 0, walk.kept, across * (geometry.threads / choice.team));
    return FusedCounter(context, baked, geometry, work).predict() *
           cluster_factor(context, choice) *
           (choice.spread                                       ? weights.columns_grid
            : choice.blocks > 1 && choice.team > largest_of_two ? weights.large_cluster
                                                                : 1);
}

}  // namespace kgen
