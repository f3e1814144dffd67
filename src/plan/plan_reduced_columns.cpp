// SPDX-License-Identifier: MIT
//
// The loop over columns, for reductions whose fastest axis is kept. Each thread folds its own columns. If
// there are few columns and rows are dense, several rows form a wide row, so that a block still reads whole
// cache lines. Reduced axes that lie within or around a kept one are merged with it, see MergedColumns.
// Figures are fractions of a copy's speed on an H200.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "plan/column_tile.hpp"
#include "plan/contest.hpp"
#include "plan/cost_cuda.hpp"
#include "plan/plan_cuda.hpp"
#include "plan/wide_rows.hpp"
#include "types/accumulator.hpp"

namespace kgen {

namespace {

constexpr std::int64_t many_rows = 256;

// Returns the bytes of all elements that the inputs bring to the loop.
std::int64_t input_bytes(const PlanContext& context) {
    std::int64_t bytes = 0;
    for (const std::size_t k : context.arrays)
        bytes += context.is_written(k) || context.is_broadcast(k) ? 0 : context.item(k);
    return bytes * context.walk.kept_count() * context.walk.reduced_count();
}

// Whether blocks may fold pieces of columns, and the greatest number of threads of those that fold whole ones. Narrow blocks fold
// whole columns of rows apart from each other.
struct ColumnBlocks {
    bool may_split = true;
    int threads = 256;
    bool narrow = false;
};

// Returns the number of tiles of columns that are folded apart from each other.
std::int64_t count_groups(const PlanContext& context, const Baked& baked, bool is_wide) {
    const std::int64_t outputs = context.walk.kept_count();
    if (!is_wide) return count_tiles(context, baked, least_across(context, baked));
    return outputs == 0 ? 0 : outputs / context.walk.extents[column_axis(context)];
}

// Reads contiguous inputs by the words around vectors, or element by element.
void read_anywhere(bool by_words, Baked& baked) {
    for (BakedOperand& operand : baked.operands) {
        if (operand.access == Access::vector || (by_words && operand.access == Access::singles))
            operand.access = by_words ? Access::words : Access::singles;
    }
}

bool reads_words(const Baked& baked) {
    return std::ranges::any_of(baked.operands, [](const BakedOperand& operand) {
        return operand.access == Access::words;
    });
}
// Returns the number of accesses to words around vectors of `bytes` bytes. They take more registers than vectors. Sums of int16 over 1963 rows
// on an H200: 51 us with four accesses of 16 bytes, 38 with two. 13 calls took 0.75 to 1.23 of their time with two, 0.92 in the mean.
int word_accesses(std::int64_t bytes) {
    return static_cast<int>(std::max<std::int64_t>(2 * access_bytes / bytes, 1));
}

// Chooses the loop with accesses of `vector` elements.
void choose_columns(const PlanContext& context, int vector, ColumnBlocks blocks, Baked& baked) {
    const Walk& walk = context.walk;
    const int axis = column_axis(context);
    const std::int64_t widest = widest_along(context, axis);
    baked.vector = vector;
    const bool shifted = choose_accesses(context, axis, baked);
    // Within a wide row, short rows of a dense input need not be aligned. The first one must begin within a vector where those of other
    // dense inputs do.
    const bool may_have_wide = walk.rank() > walk.kept && !context.any_size();
    const RowBegins begins = may_have_wide ? row_begins(context, baked.vector) : RowBegins::apart;
    Baked wide = baked;
    if (begins != RowBegins::apart) {
        for (const std::size_t k : context.arrays) {
            if (!context.is_written(k))
                wide.operands[k].access =
                    columns_are_dense(context, k) ? Access::vector : Access::elements;
        }
    }
    ReducedColumnsChoice choice{
        .accesses = access_limit(context.request, accesses_in_flight, baked.vector),
        .wide = begins != RowBegins::apart && !blocks.narrow && may_be_wide(context, wide)};
    choice.shifted = choice.wide && begins == RowBegins::alike;
    // Two kernels serve any size, with pieces and without. Their rows may begin anywhere.
    if (choice.wide) {
        baked = wide;
    } else if (shifted || context.any_size() || walk.extents[axis] % baked.vector != 0) {
        const bool by_words = may_be_words(context, vector);
        // Vectors that are longer than a row would read other rows for nothing.
        if (by_words && vector > walk.extents[axis] && !context.any_size())
            return choose_columns(context, vector / 2, blocks, baked);
        read_anywhere(by_words, baked);
    }
    // What all rows share is read once, unless it is read by vectors, which narrow integers are folded by.
    for (const std::size_t k : context.arrays) {
        BakedOperand& operand = baked.operands[k];
        if (context.is_written(k) || context.any_size() || walk.rank() == walk.kept) continue;
        operand.repeats = operand.access != Access::vector && operand.access != Access::words;
        for (int other = walk.kept; other < walk.rank(); ++other)
            operand.repeats = operand.repeats && context.stride(k, other) == 0;
    }
    baked.block_bound = column_block_threads(context, baked.vector);
    if (choice.wide) {
        // No warp is left without work.
        const std::int64_t used = wide_threads(walk.extents[axis], baked.vector, baked.block_bound);
        baked.block_bound = static_cast<int>(ceil_div(used, warp) * warp);
    }
    if (blocks.narrow) baked.block_bound = std::min(baked.block_bound, blocks.threads);
    // Whether there are enough blocks without splitting, see measure_reduced_columns.
    const std::int64_t across = least_across(context, baked);
    const std::int64_t tiles = count_groups(context, baked, choice.wide);
    const std::int64_t height = baked.block_bound / across;
    // Small inputs: a block folds all rows of its columns.
    const std::int64_t slots =
        walk.reduced_count() * (choice.wide
                                    ? ceil_div(walk.extents[axis], baked.vector)
                                    : least_across(context, baked, line_threads(context, baked)));
    const bool is_whole = tiles < few_tiles && slots <= whole_slots(context, baked) &&
                          input_bytes(context) <= 4 * small_bytes;
    choice.whole = is_whole && !context.any_size() && !blocks.narrow;
    choice.split = tiles < many_groups && !is_whole && blocks.may_split &&
                   (choice.wide || walk.reduced_count() > height * accesses_in_flight);
    if (!choice.split && !choice.wide && !blocks.narrow && tiles >= few_tiles &&
        !context.any_size()) {
        // float32, 1000 x 268435: 0.978 with 256 threads and eight accesses, 0.959 with 512 threads and four;
        // (256, 1024, 1024): 1.043 and 1.020.
        baked.block_bound = std::min(baked.block_bound, blocks.threads);
        if (walk.reduced_count() >= many_rows)
            choice.accesses = access_limit(context.request, 2 * accesses_in_flight, baked.vector);
    }
    if (choice.whole) {
        // A thread reads its rows at once, and no row twice in the place of missing ones.
        const std::int64_t rows =
            choice.wide
                ? ceil_div(walk.reduced_count() * walk.extents[axis],
                           wide_threads(walk.extents[axis], vector, baked.block_bound) * vector)
                : ceil_div(walk.reduced_count(), thread_tile(context, baked, false).height);
        const int most =
            (context.request.signature.reduction->has_own_accumulator ? 1 : 2) * accesses_in_flight;
        choice.accesses =
            access_limit(context.request,
                         static_cast<int>(std::clamp<std::int64_t>(ceil_power(rows), 1, most)),
                         baked.vector);
    }
    // Each column has its accumulators too, so few vectors fit into registers: with 32 vectors of eight bool
    // arrays, a sum stores 463 registers to memory.
    if (reads_words(baked))
        choice.accesses = std::min(choice.accesses, word_accesses(baked.vector * widest));
    choice.accesses = held_limit(context, baked, choice.accesses, widest <= 2 ? 8 : 16);
    baked.choice = choice;
    baked.index_width = fold_index_width(context, 1);
}

// Takes whole columns instead of pieces, and blocks of half as many threads, if they are predicted to take less time. `common` is
// what `baked` was before choose_columns. Figures of 40 calls on an H200: 0.54 to 1.03 of the time. Narrow blocks have accesses of
// `small_vector` elements.
void choose_blocks(const PlanContext& context,
                   const Baked& common,
                   int small_vector,
                   Baked& baked) {
    Contest contest(context, reduced_columns_loop, baked);
    const auto offer = [&](ColumnBlocks blocks, double share) {
        Baked other = common;
        choose_columns(context, blocks.narrow ? small_vector : baked.vector, blocks, other);
        contest.offer(other, share);
    };
    const auto& choice = baked.as<ReducedColumnsChoice>();
    // Fewer groups than least_whole always need pieces, and enough_whole groups keep an H200 busy. Between these numbers whole columns
    // may take longer than predicted: those of float64 (1979, 12740) took 1.2 times as long as pieces, with 519 groups 0.9 times.
    constexpr std::int64_t least_whole = 32;
    constexpr std::int64_t enough_whole = 264;
    const std::int64_t groups = count_groups(context, baked, choice.wide);
    if (choice.split && groups >= least_whole)
        offer({.may_split = false}, groups >= enough_whole ? 1.02 : 0.93);
    const ColumnBlocks fewer = {.may_split = false, .threads = ColumnBlocks().threads / 2};
    if (!choice.split && !choice.wide && !choice.whole && baked.block_bound > fewer.threads)
        offer(fewer, 0.995);
    // Few columns of small calls: pieces cost time in the end, and one block for a wide row leaves the others idle. Narrow tiles read parts
    // of cache lines, which the L2 cache has. 21 of 23 such calls of 1 to 7 us on an H200 took 0.31 to 0.76 of their time. A loop that is
    // named keeps its usual form.
    const bool has_few = choice.split || (choice.wide && groups < few_tiles);
    if (has_few && input_bytes(context) <= 4 * small_bytes &&
        context.request.loop_name != reduced_columns_loop.name) {
        for (const int threads : {column_threads, ColumnBlocks().threads})
            offer({.may_split = false, .threads = threads, .narrow = true}, 0.92);
    }
}

// Chooses the loop with accesses of `vector` elements, or of fewer ones if rows or calls are short.
void choose_fitting_columns(const PlanContext& context, int vector, Baked& baked) {
    const std::int64_t row = context.walk.extents[column_axis(context)];
    Baked tried = baked;
    choose_columns(context, vector, {}, tried);
    // Shorter vectors may be aligned, so that rows of which a tile's threads would read less than three quarters of their
    // vectors form wide rows. Mean and variance of float32 (14, 4930, 67) over the middle axis on an H200: 11.4 us with wide rows
    // of pairs, 18.2 with vectors of 4.
    for (int shorter = vector / 2; shorter > 1 && !tried.as<ReducedColumnsChoice>().wide &&
                                   !fills_tiles(row, vector) && !context.any_size();
         shorter /= 2) {
        Baked wide = baked;
        choose_columns(context, shorter, {}, wide);
        if (wide.as<ReducedColumnsChoice>().wide) tried = wide;
    }
    // A thread gets no more columns than there are, and fewer in a small call. It folds several rows, so it has
    // several times as many elements as a vector.
    const std::int64_t elements = context.walk.kept_count() * context.walk.reduced_count();
    const std::int64_t columns = ceil_power(row);
    const int small_vector = static_cast<int>(
        std::min<std::int64_t>(columns, spread_vector(elements / accesses_in_flight, vector)));
    if (small_vector < vector && !tried.as<ReducedColumnsChoice>().wide && !context.any_size()) {
        tried = baked;
        choose_columns(context, small_vector, {}, tried);
    }
    if (context.request.fit == Fit::call && context.walk.kept_count() > 0)
        choose_blocks(context, baked, small_vector, tried);
    baked = tried;
}

// Chooses the loop for columns of an output each. Returns false if other loops read the inputs better.
bool choose_single_columns(const PlanContext& context, int vector, Baked& baked) {
    // Reduced rows of whole cache lines are read best along them.
    const int inner = context.rank() - 1;
    if (context.walk.inner_reduced && context.walk.reduced_count() > 0 &&
        context.walk.extents[inner] * widest_along(context, inner) >= cache_line_bytes)
        return false;
    const std::int64_t row = context.walk.extents[column_axis(context)];
    // Idle threads of a tile cost as much as others if arithmetic bounds the call.
    while (vector > 1 && context.request.signature.facts.work >= spread_work &&
           !fills_tiles(row, vector) && !context.any_size())
        vector /= 2;
    choose_shorter_vectors(context, reduced_columns_loop, vector, choose_fitting_columns, baked);
    return true;
}

// Chooses the loop for merged columns with accesses of `vector` elements. Returns false if a block has too few threads for them.
bool choose_merged_columns(const PlanContext& context, int vector, Baked& baked) {
    const Walk& walk = context.walk;
    const int axis = column_axis(context);
    baked.rank = context.rank();
    baked.vector = vector;
    const bool shifted = choose_accesses(context, axis, baked);
    if (shifted || walk.extents[axis] % vector != 0)
        read_anywhere(may_be_words(context, vector), baked);
    ReducedColumnsChoice choice{.merged = true};
    baked.block_bound = column_block_threads(context, vector);
    const std::int64_t span = merged_span(context, baked);
    if (span == 0) return false;
    // Short vectors need more accesses: extremes of int8 took 42 us on an H200, 36 by four accesses of 4 bytes and 22 by 16 of single ones.
    const std::int64_t bytes = vector * std::max<std::int64_t>(widest_along(context, axis), 1);
    const int usual = accesses_in_flight * (bytes <= 2 ? 4 : bytes <= word_bytes ? 2 : 1);
    const int wanted = reads_words(baked) ? std::min(usual, word_accesses(bytes)) : usual;
    choice.accesses = held_limit(context, baked, access_limit(context.request, wanted, vector), 16);
    const ThreadTile tile = merged_tile(context, baked);
    const std::int64_t tiles =
        walk.kept_count() / walk.extents[axis] * ceil_div(walk.extents[axis], span);
    choice.split = tiles < many_groups && walk.reduced_count() > tile.height * choice.accesses;
    // One thread for each output folds the pieces.
    if (choice.split && span / context.merged.of_output() > tile.across * tile.height) return false;
    baked.choice = choice;
    baked.index_width = fold_index_width(context, 1);
    return true;
}

// Takes the elements of several kept axes as columns if that is predicted to take less time than `ns`, the time of `baked`, and replaces
// that. `common` is what `baked` was before any choice.
void offer_joined_columns(
    const PlanContext& context, int axes, const Baked& common, double& ns, Baked& baked) {
    constexpr double clearly_quicker = 0.97;
    PlanContext joined(context);
    joined.join_columns(axes);
    Baked tried = common;
    if (!choose_single_columns(joined, longest_vector(joined, column_axis(joined)), tried)) return;
    auto choice = tried.as<ReducedColumnsChoice>();
    choice.axes = axes;
    tried.choice = choice;
    const double tried_ns = predicted_ns(joined, reduced_columns_loop, tried);
    if (!(tried_ns < clearly_quicker * ns)) return;
    ns = tried_ns;
    baked = tried;
}

// Takes merged columns if they are predicted to take less time than `baked`, and replaces its time.
void offer_merged_columns(const PlanContext& context,
                          const MergedColumns& columns,
                          const Baked& common,
                          double& least,
                          Baked& baked) {
    constexpr double clearly_quicker = 0.95;
    PlanContext merged(context);
    merged.merge_columns(columns);
    for (int vector = longest_vector(context, context.inner_axis()); vector > 0; vector /= 2) {
        Baked tried = common;
        if (!choose_merged_columns(merged, vector, tried)) continue;
        const double ns = predicted_ns(merged, reduced_columns_loop, tried);
        if (!(ns < clearly_quicker * least)) continue;
        least = ns;
        baked = tried;
    }
}

bool choose_reduced_columns(const PlanContext& context, Baked& baked) {
    if (context.walk.kept == 0) return false;  // one output has no neighbour
    const Baked common = baked;
    const bool suits =
        choose_single_columns(context, longest_vector(context, column_axis(context)), baked);
    const bool is_call = context.request.fit == Fit::call && context.walk.kept_count() > 0;
    const int axes = is_call ? context.find_column_axes() : 1;
    const std::optional<MergedColumns> merged =
        is_worth_contests(context) ? context.find_merged_columns() : std::nullopt;
    if (axes < 2 && !merged) return suits;
    constexpr double never = std::numeric_limits<double>::infinity();
    double ns = suits ? predicted_ns(context, reduced_columns_loop, baked) : never;
    if (axes > 1) offer_joined_columns(context, axes, common, ns, baked);
    if (merged) offer_merged_columns(context, *merged, common, ns, baked);
    return suits || ns < never;
}

bool has_other_columns(const Baked& baked) {
    const auto& choice = baked.as<ReducedColumnsChoice>();
    return choice.merged || choice.axes > 1;
}

void reorder_columns(PlanContext& context, Baked& baked) {
    const auto& choice = baked.as<ReducedColumnsChoice>();
    if (choice.merged)
        context.merge_columns(context.find_merged_columns().value());
    else
        context.join_columns(choice.axes);
}

std::string describe_reduced_columns(const Baked& baked) {
    const auto& choice = baked.as<ReducedColumnsChoice>();
    return fmt::format("{}{}each thread its columns, {} an access, {} at once{}",
                       choice.axes > 1 ? fmt::format("columns over {} axes, ", choice.axes) : "",
                       choice.wide     ? "several short rows as one, "
                       : choice.merged ? "several columns of each output, "
                                       : "",
                       count_of(baked.vector, "element"),
                       count_of(choice.accesses, "access"),
                       choice.split ? ", in pieces that the last block folds" : "");
}

std::vector<std::string> explain_reduced_columns(const PlanRequest&,
                                                 const Plan& plan,
                                                 const LoopStruct& own) {
    const auto& tiles = std::get<ColumnTiles>(own);
    std::vector<std::string> lines = {
        plan.baked.as<ReducedColumnsChoice>().wide
            ? fmt::format("tile: {} threads read {} rows of {} elements as one",
                          tiles.across,
                          tiles.height,
                          tiles.by_period.extent)
            : fmt::format("tile: {} threads side by side, {} below each other",
                          tiles.across,
                          tiles.height)};
    if (plan.baked.as<ReducedColumnsChoice>().merged)
        lines.push_back(fmt::format("columns: {} of each output in a tile, {} of them side by side",
                                    tiles.each,
                                    tiles.by_neighbours.extent));
    if (is_split(plan.baked)) lines.push_back(pieces_line(tiles.by_pieces.extent, "tile"));
    if (tiles.bundle > 0)
        lines.push_back(
            fmt::format("bundles: the last block of each {} pieces folds them, and the last of "
                        "these blocks folds the bundles",
                        tiles.bundle));
    return lines;
}

}  // namespace

constinit const Loop reduced_columns_loop = {
    .kind = LoopKind::reduced_columns,
    .name = "reduced_columns",
    .when = "the inputs are closest in memory along a kept axis",
    .why = "each thread folds its own columns, so that threads read whole cache lines of rows",
    .choose = choose_reduced_columns,
    .measure = measure_reduced_columns,
    .describe = describe_reduced_columns,
    .predict = predict_reduced_columns,
    .phases = 1.7,
    .reorder = reorder_columns,
    .reorders = has_other_columns,
    .explain = explain_reduced_columns,
    .has_any_size = true,
    .own = ColumnTiles{},
    .own_text = "kgen_column_tiles kgen_columns",
    .has_reach = true};

}  // namespace kgen
