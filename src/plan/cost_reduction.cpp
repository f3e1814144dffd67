// SPDX-License-Identifier: MIT
//
// The predicted times of the CUDA loops of reductions.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <variant>

#include "plan/column_tile.hpp"
#include "plan/contest.hpp"
#include "plan/cost_cuda.hpp"
#include "plan/plan_cuda.hpp"
#include "plan/wide_rows.hpp"

namespace kgen {

namespace {

// Returns how many elements are folded with each other before they join a user-defined accumulator of at most 32 bytes
// (kgen_batch).
double batch_size(const Baked& baked) {
    if (const auto* rows = std::get_if<ReducedRowsChoice>(&baked.choice)) {
        const bool has_whole_tiles =
            rows->block_team && !rows->guarded && baked.rank <= baked.kept + 1;
        return baked.vector * (has_whole_tiles ? rows->accesses : 1);
    }
    const auto* columns = std::get_if<ReducedColumnsChoice>(&baked.choice);
    return columns == nullptr ? 1 : columns->accesses;
}

// Steps that fold one element into an accumulator. Narrow integers are folded several at a time.
double fold_steps(const PlanContext& context, const Baked& baked) {
    const ReductionFacts& facts = *context.request.signature.reduction;
    const auto inputs = static_cast<double>(
        std::count_if(context.arrays.begin(), context.arrays.end(), [&](std::size_t k) {
            return !context.is_written(k);
        }));
    const ReductionTexts& texts = *context.request.signature.definition().reduction;
    if (texts.plain_folds + texts.struct_folds > 0) {
        // Fitted to 142 statements of rows on an H200, with a quotient for each element: see
        // benchmarks/results/2026-11-27-h200-rows.md.
        return texts.plain_folds + 2 * texts.struct_folds +
               7 * texts.quotients / batch_size(baked) + inputs / 2;
    }
    if (facts.has_own_accumulator && facts.operation == FoldOperation::other) return 4 + inputs / 2;
    if (facts.accuracy == Accuracy::compensated) return 4 + inputs;
    const auto is_narrow = [&](std::size_t k) {
        const DTypeKind kind = kind_of(context.request.types.dtypes[k]);
        return context.is_written(k) ||
               (context.item(k) <= 2 && kind != DTypeKind::real && kind != DTypeKind::complex);
    };
    const bool narrow = !facts.has_own_accumulator && !facts.plain_map.terms.empty() &&
                        std::all_of(context.arrays.begin(), context.arrays.end(), is_narrow);
    return narrow ? 0.4 : 1 + inputs / 2;
}

// Words of 4 bytes of an accumulator.
double accumulator_words(const PlanContext& context) {
    return std::max(1.0, static_cast<double>(usual_accumulator_bytes(context)) / 4);
}

// Counts of the parts that all loops of reductions share.
class Counter {
public:
    Counter(const PlanContext& context, const Baked& baked, const Geometry& geometry)
        : context_(context), baked_(baked) {
        cost_.blocks = static_cast<double>(geometry.blocks);
        cost_.threads = geometry.threads;
        cost_.shared_bytes = geometry.shared_bytes;
    }

    Cost& cost() { return cost_; }
    bool is_input(std::size_t k) const { return !context_.is_written(k); }

    // Adds `slots` accesses of whole warps to each input, and folds of their elements. One access has the elements of `box`. An input that
    // is read element by element has those of `elements` instead, and a thread reads neighbours along `axis` one after the other.
    // `vector_passes` multiplies the passes of vectors.
    void add_slots(const Dims& box,
                   const Dims& elements,
                   int axis,
                   double slots,
                   int accesses,
                   double vector_passes = 1) {
        const double pack = baked_.vector;
        for (const std::size_t k : context_.arrays) {
            if (!is_input(k) || baked_.operands[k].repeats) continue;
            const Access access = baked_.operands[k].access;
            const auto item = static_cast<double>(context_.item(k));
            cost_.held_bytes += item * pack * accesses;
            if (access == Access::uniform) {
                cost_.accesses += slots;
                cost_.passes += slots;
                continue;
            }
            const double times = access == Access::vector  ? 1
                                 : access == Access::words ? 1 + item * pack / 4
                                                           : pack;
            cost_.accesses += slots * times * 1.5;
            // Elements of a vector that are read one after the other come from the same lines.
            if (access == Access::elements) {
                const double lines =
                    warp_units(context_, k, elements, access_line, baked_.vector, axis);
                cost_.passes += slots * times *
                                element_passes(context_, k, elements, baked_.vector, lines, axis);
                continue;
            }
            const bool is_vector = access == Access::vector;
            cost_.passes += slots * times * (is_vector ? vector_passes : 1) *
                            std::clamp<double>(touched_units(context_, k, box, access_line),
                                               dense_passes(is_vector ? item * pack : item),
                                               warp_lanes);
        }
        add_folds(slots * pack);
    }
    // Adds the map and the fold of an element by each thread of `warps` warps.
    void add_folds(double warps) {
        const BodyFacts& facts = context_.request.signature.facts;
        cost_.steps += warps * fold_steps(context_, baked_);
        cost_.tokens += warps * static_cast<double>(facts.token_count);
        cost_.functions += warps * facts.work;
    }
    // Adds stores of operand k by whole warps, each of which stores the outputs in `box`.
    void add_stores(std::size_t k, const Dims& box, double stores) {
        cost_.accesses += stores;
        cost_.passes += stores * std::clamp<double>(
                                     touched_units(context_, k, box, access_line), 1, warp_lanes);
        cost_.parts += stores * partial_sectors(context_, k, box);
    }
    // Adds merges of accumulators by `warps` warps, which exchange them.
    void add_merges(double warps) { cost_.accesses += warps * accumulator_words(context_) * 0.5; }
    double predict(const Dims& box) {
        // Reductions take longer than counted: 171 of them took 1.09 times as long on an H200 (median).
        constexpr double longer = 1.09;
        add_traffic(context_, box, whole_boxes(context_, box, cost_.blocks), cost_);
        return longer * predicted_ns(cost_, context_);
    }

private:
    const PlanContext& context_;
    const Baked& baked_;
    Cost cost_;
};

// Phases in which a block hands over the result of a piece, and the last block of a row folds the pieces. Fitted to 139 launches
// with pieces on an H200, of which 76 % lie within 15 %.
constexpr double handover_phases = 2;

bool is_empty(const PlanContext& context) {
    return context.walk.rank() > context.walk.kept && context.walk.reduced_count() == 0;
}

}  // namespace

double predict_reduced_rows(const PlanContext& context,
                            const Baked& baked,
                            const Geometry& geometry) {
    if (is_empty(context)) return least_ns(context.request.target.arch, 0);
    Counter counter(context, baked, geometry);
    const auto& teams = std::get<RowTeams>(geometry.own);
    const auto& choice = baked.as<ReducedRowsChoice>();
    const Walk& walk = context.walk;
    const auto outputs = static_cast<double>(walk.kept_count());
    const double segments = static_cast<double>(teams.segments);
    const auto slots = static_cast<double>(ceil_div(teams.row, baked.vector));
    const double pieces = choice.split ? teams.by_pieces.extent : 1;
    const double slots_each =
        choice.split ? std::min(slots, static_cast<double>(teams.slots_each)) : slots;
    const double at_once = std::ceil(slots_each / teams.lanes);  // of a thread in a segment
    const double segments_apart = static_cast<double>(teams.team) / teams.lanes;
    const double segments_each = std::ceil(
        (choice.split ? static_cast<double>(teams.segments_each) : segments) / segments_apart);
    const double warps = outputs * pieces * teams.team / warp_lanes;
    Dims lanes = Dims::filled(context.rank(), 1);
    const std::int64_t in_row =
        std::min<std::int64_t>(teams.row, std::int64_t{teams.lanes} * baked.vector);
    const int inner = context.rank() - 1;
    const int team_lanes = std::min(teams.team, warp_lanes);
    if (walk.rank() > walk.kept) {
        lanes[inner] = std::min<std::int64_t>(in_row, std::int64_t{warp_lanes} * baked.vector);
        fill_axes(context, lanes, walk.kept, inner, team_lanes / std::min(teams.lanes, warp_lanes));
    }
    fill_axes(context, lanes, 0, walk.kept, warp_lanes / team_lanes);
    counter.add_slots(lanes, lanes, inner, warps * segments_each * at_once, choice.accesses);
    Cost& cost = counter.cost();
    // Each segment is found, and its ends are folded one by one if they are not whole slots. Slots of more than four elements leave more
    // elements at ends.
    cost.accesses += warps * segments_each * 2;
    if (choice.shifted)
        cost.accesses += warps * segments_each * 2 * (1 + std::max(baked.vector - 4, 0));
    cost.divisions += warps * context.rank() * segments_each;
    counter.add_merges(warps * (std::log2(team_lanes) + (choice.block_team ? 6 : 0)));
    cost.accesses += warps * 3;
    cost.phases = segments_each * std::ceil(at_once / choice.accesses) +
                  (choice.block_team ? 1.3 : 0.5) + (choice.split ? handover_phases : 0);
    Dims box = Dims::filled(context.rank(), 1);
    if (walk.rank() > walk.kept) {
        box[inner] =
            std::min<std::int64_t>(teams.row, static_cast<std::int64_t>(slots_each) * baked.vector);
        fill_axes(context,
                  box,
                  walk.kept,
                  inner,
                  choice.split ? teams.segments_each : static_cast<std::int64_t>(segments));
    }
    if (!choice.block_team) fill_axes(context, box, 0, walk.kept, geometry.threads / teams.team);
    // Turned inputs of full reductions: 30 calls on an H200 took 1.2 times as long as counted (median).
    constexpr double turned_longer = 1.2;
    const bool is_turned =
        walk.kept == 0 && is_worth_contests(context) && has_turned_inputs(context);
    return (is_turned ? turned_longer : 1) * counter.predict(box);
}

double predict_short_folds(const PlanContext& context,
                           const Baked& baked,
                           const Geometry& geometry) {
    Counter counter(context, baked, geometry);
    const auto& choice = baked.as<ThreadFoldsChoice>();
    const Walk& walk = context.walk;
    const auto rows = static_cast<double>(walk.reduced_count());
    const auto& shape = std::get<FoldShape>(geometry.own);
    const double warps = std::ceil(static_cast<double>(shape.vectors) / warp_lanes);
    // The outputs of a warp or of a block, and the elements of these that one access reads.
    const auto outputs = [&](std::int64_t threads) {
        Dims box = Dims::filled(context.rank(), 1);
        if (choice.turned) {
            fill_axes(context, box, walk.kept - 1, walk.kept, shape.side * baked.vector);
            fill_axes(context, box, 0, walk.kept - 1, threads / shape.side);
        } else {
            fill_axes(context, box, 0, walk.kept, threads * baked.vector);
        }
        if (choice.along) box[walk.kept] = walk.extents[walk.kept];
        return box;
    };
    const Dims lanes = outputs(warp_lanes);
    Dims elements = lanes;
    if (choice.along) elements[walk.kept] = 1;
    // Vectors along an output lie apart, and a line takes a clock cycle: float32 (33554432, 13) 513 us, (33554432, 7) 277, float16
    // (33554432, 7) 140 (H200).
    counter.add_slots(lanes,
                      elements,
                      walk.kept - 1,
                      warps * rows,
                      choice.along ? choice.few : choice.accesses * choice.groups,
                      choice.along ? 1.6 : 1);
    Cost& cost = counter.cost();
    for (const std::size_t k : context.arrays) {
        if (counter.is_input(k)) continue;
        const bool is_vector = baked.operands[k].access == Access::vector;
        const double times = is_vector ? 1 : baked.vector;
        Dims stored = lanes;  // by one store of a warp
        if (std::abs(context.stride(k, walk.kept - 1)) >= memory_sector)
            stored[walk.kept - 1] = ceil_div(stored[walk.kept - 1], is_vector ? 1 : baked.vector);
        counter.add_stores(k, stored, warps * times);
    }
    cost.accesses += warps * 2;
    // Each output is found, and each of its elements.
    cost.divisions += warps * (walk.kept + rows * std::max(0, context.rank() - walk.kept - 1));
    // What is left of the elements is read by a quarter as many at once, and so on.
    double left = rows;
    cost.phases = 0;
    for (int at_once = choice.along ? choice.few : choice.accesses; left > 0;
         at_once = (at_once + 3) / 4) {
        cost.phases += std::floor(left / at_once);
        left = std::fmod(left, at_once);
    }
    Dims box = outputs(std::int64_t{geometry.threads} * choice.groups);
    for (int axis = walk.kept; axis < context.rank(); ++axis) box[axis] = walk.extents[axis];
    return counter.predict(box);
}

namespace {

// Returns the phases in which pieces are folded. A block waits for the others' results to arrive, and then for each of its reads,
// of which it makes as many at once as kgen_handed does. With bundles there are two such steps of few reads.
double last_phases(const PlanContext& context, const ColumnTiles& tiles, int threads) {
    const double pieces = tiles.by_pieces.extent;
    constexpr double by_bundles = 4;
    if (tiles.bundle > 0) return by_bundles;
    const auto at_once = static_cast<double>(handed_at_once(usual_accumulator_bytes(context)));
    const double copies =
        std::max(1.0, std::floor(static_cast<double>(threads) / tiles.by_period.extent));
    return 2 + std::ceil(pieces / copies / at_once) / 2;
}

}  // namespace

double predict_reduced_columns(const PlanContext& context,
                               const Baked& baked,
                               const Geometry& geometry) {
    if (is_empty(context)) return least_ns(context.request.target.arch, 0);
    Counter counter(context, baked, geometry);
    const auto& tiles = std::get<ColumnTiles>(geometry.own);
    const auto& choice = baked.as<ReducedColumnsChoice>();
    const Walk& walk = context.walk;
    const int column = walk.kept - 1;
    const double block_warps = static_cast<double>(geometry.threads) / warp_lanes;
    const double rows_each = static_cast<double>(tiles.rows_each);
    const double rows =
        choice.wide ? rows_each : std::ceil(rows_each / tiles.height);  // of a thread
    const double warps = static_cast<double>(geometry.blocks) * block_warps;
    Dims lanes = Dims::filled(context.rank(), 1);
    const std::int64_t across = std::int64_t{tiles.across} * baked.vector;
    const int inner = context.rank();
    if (choice.wide) {
        lanes[column] =
            std::min<std::int64_t>(tiles.columns, std::int64_t{warp_lanes} * baked.vector);
        fill_axes(context,
                  lanes,
                  walk.kept,
                  inner,
                  ceil_div(std::int64_t{warp_lanes} * baked.vector, tiles.columns));
    } else {
        lanes[column] = std::min<std::int64_t>(
            {tiles.columns, across, std::int64_t{warp_lanes} * baked.vector});
        fill_axes(context,
                  lanes,
                  walk.kept,
                  inner,
                  std::max<std::int64_t>(
                      1, warp_lanes / std::min<std::int64_t>(tiles.across, warp_lanes)));
    }
    counter.add_slots(lanes, lanes, column, warps * rows, choice.accesses);
    Cost& cost = counter.cost();
    cost.accesses += warps * 4;
    // A row is found by dividing its number into axes.
    if (!choice.wide) cost.divisions += warps * rows * std::max(0, context.rank() - walk.kept - 1);
    for (const std::size_t k : context.arrays) {
        if (counter.is_input(k)) continue;
        Dims stored = Dims::filled(context.rank(), 1);
        stored[column] = std::min<std::int64_t>(tiles.columns / tiles.each, warp_lanes);
        const double stores = static_cast<double>(walk.kept_count()) /
                              static_cast<double>(tiles.each * stored[column]);
        cost.parts += stores * partial_sectors(context, k, stored);
        // Results pass through shared memory, and each finds its place.
        cost.accesses += 4 * stores;
    }
    const double merges = std::log2(std::max(1.0, static_cast<double>(tiles.height) * tiles.each));
    // In wide rows a vector spans several short rows, and its thread first merges what it has of the same column.
    const double own = choice.wide
                           ? std::min<double>(baked.vector, static_cast<double>(tiles.columns))
                           : baked.vector;
    counter.add_merges(
        2 * warps *
        (2 * baked.vector + own * std::max(merges - std::log2(baked.vector / own), 0.0)));
    // Rounds of merges quarter the copies of small accumulators, and halve those of others.
    const double rounds = std::ceil(accumulator_words(context) <= 4 ? merges / 2 : merges);
    cost.phases =
        std::ceil(rows / choice.accesses) + 0.7 + rounds / 3 + (choice.split ? handover_phases : 0);
    if (choice.split) cost.bare_phases = last_phases(context, tiles, geometry.threads);
    Dims box = Dims::filled(context.rank(), 1);
    box[column] = std::min(tiles.columns, choice.wide ? tiles.columns : across);
    fill_axes(context,
              box,
              walk.kept,
              inner,
              choice.wide ? tiles.rows_each * tiles.height : tiles.rows_each);
    return counter.predict(box);
}

double predict_staged_rows(const PlanContext& context,
                           const Baked& baked,
                           const Geometry& geometry) {
    Counter counter(context, baked, geometry);
    const auto& sizes = std::get<StageSizes>(geometry.own);
    const auto columns = static_cast<std::int64_t>(sizes.by_columns.extent);
    const double warps = static_cast<double>(geometry.blocks) *
                         std::ceil(static_cast<double>(sizes.block * columns) / warp_lanes);
    Cost& cost = counter.cost();
    Dims stored = Dims::filled(context.rank(), 1);
    fill_axes(context, stored, 0, context.walk.kept, warp_lanes);
    for (const std::size_t k : context.arrays) {
        if (!counter.is_input(k)) {
            counter.add_stores(k, stored, warps);
            continue;
        }
        const std::int64_t bytes = sizes.row * context.item(k);
        // Threads fold neighbouring rows. Those of rows of even length begin at different elements. Rows that lie side by side
        // are read across.
        const auto banks = columns >= warp_lanes ? 1
                           : bytes % 4 == 0 && sizes.row % 2 != 0
                               ? std::gcd(bytes / 4, std::int64_t{warp_lanes})
                               : 2;
        cost.passes += warps * sizes.row *
                       (static_cast<double>(banks) + 2 * static_cast<double>(context.item(k)) / 4);
        cost.accesses += warps * sizes.row * (0.5 + 0.25 * static_cast<double>(context.item(k)));
    }
    counter.add_folds(warps * sizes.row);
    cost.accesses += warps * 5;
    // A thread folds the elements of its row one after the other. 16 MiB of float32 in the L2 cache take 4.4, 5.0 and 6.2 us on an H200, in
    // rows of 64, 128 and 256 elements.
    cost.phases = 3 + 0.024 * static_cast<double>(sizes.row);
    Dims box = context.walk.extents;
    fill_axes(context, box, 0, context.walk.kept, sizes.block * columns);
    return counter.predict(box);
}

}  // namespace kgen
