// SPDX-License-Identifier: MIT
//
// The loop over columns, for reductions whose fastest axis is kept. Each thread folds its own columns. If
// there are few columns and rows are dense, several rows form a wide row, so that a block still reads whole
// cache lines. Figures are fractions of a copy's speed on an H200.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "plan/column_tile.hpp"
#include "plan/cost_cuda.hpp"
#include "plan/plan_cuda.hpp"
#include "types/accumulator.hpp"

namespace kgen {

namespace {

constexpr int column_threads = 512;
constexpr int whole_threads = 256;  // threads of a block if outputs are not split
constexpr std::int64_t many_rows = 256;
// Bytes of shared memory for the accumulators that the threads of a block hold at the end.
constexpr std::int64_t held_bytes = std::int64_t{40} << 10;
constexpr std::int64_t unknown_accumulator_bytes = 16;
// Least number of groups of columns for which there are enough blocks without splitting.
constexpr std::int64_t many_groups = 1024;

// Whether the input is contiguous along a row, and each row follows the one before it without a gap.
bool columns_are_dense(const PlanContext& context, std::size_t k) {
    const int axis = column_axis(context);
    return context.stride(k, context.walk.kept) == context.item(k) * context.walk.extents[axis] &&
           context.stride(k, axis) == context.item(k);
}

// Returns the greatest number of threads in a block that can store their folds in shared memory.
int block_threads(const PlanContext& context, int vector) {
    std::int64_t bytes = accumulator_bytes(context.request.signature, context.request.types);
    if (bytes == 0) bytes = unknown_accumulator_bytes;
    // Without an identity, each fold also stores a flag that says whether it has a value.
    if (!has_identity(context.request.signature, context.request.types)) bytes *= 2;
    // Those of neighbouring columns lie one place apart from the next thread's (kgen_spread).
    const std::int64_t threads =
        floor_power(held_bytes / (bytes * (vector + (vector > 1 ? 1 : 0))));
    return static_cast<int>(std::clamp<std::int64_t>(threads, 64, column_threads));
}

// Returns the largest number of threads, up to `threads`, that together handle whole rows.
std::int64_t wide_threads(std::int64_t columns, int vector, std::int64_t threads) {
    if (columns == 0) return threads;  // nothing is launched
    const std::int64_t unit = columns / std::gcd(columns, std::int64_t{vector});
    return threads / unit * unit;
}

// Whether the tiles of a row, whose threads side by side are a power of two, have work for three quarters of these.
bool fills_tiles(std::int64_t columns, int vector) {
    const std::int64_t across = std::min(ceil_power(ceil_div(columns, vector)), warp) * vector;
    return columns * 4 >= ceil_div(columns, across) * across * 3;
}

// Returns the bytes of all elements that the inputs bring to the loop.
std::int64_t input_bytes(const PlanContext& context) {
    std::int64_t bytes = 0;
    for (const std::size_t k : context.arrays)
        bytes += context.is_written(k) || context.is_broadcast(k) ? 0 : context.item(k);
    return bytes * context.walk.kept_count() * context.walk.reduced_count();
}

// Whether rows can be treated as wide rows if the inputs are accessed as `baked` says.
bool may_be_wide(const PlanContext& context, const Baked& baked) {
    const Walk& walk = context.walk;
    const std::int64_t columns = walk.extents[column_axis(context)];
    if (baked.vector < 2 || walk.rank() != walk.kept + 1) return false;
    if (columns >= warp * baked.vector && fills_tiles(columns, baked.vector)) return false;
    // At least 7/8 of a block's threads must have work in a wide row.
    const int threads = block_threads(context, baked.vector);
    if (columns > threads || wide_threads(columns, baked.vector, threads) * 8 < threads * 7)
        return false;
    // There must be elements for at least two wide rows.
    if (walk.reduced_count() * columns < std::int64_t{2} * column_threads * baked.vector)
        return false;
    bool any = false;
    for (const std::size_t k : context.arrays) {
        if (context.is_written(k) || !columns_are_dense(context, k)) continue;
        if (baked.operands[k].access != Access::vector) return false;
        any = true;
    }
    return any;
}

// Chooses the loop with accesses of `vector` elements.
void choose_columns(const PlanContext& context, int vector, Baked& baked) {
    const Walk& walk = context.walk;
    const int axis = column_axis(context);
    const std::int64_t widest = widest_along(context, axis);
    baked.vector = vector;
    // Within a wide row, short rows of a dense input need not be aligned. Only the first row must be.
    const bool shifted = choose_accesses(context, axis, baked);
    const bool aligned_at_start = [&] {
        for (const std::size_t k : context.arrays) {
            if (context.is_written(k) || context.stride(k, axis) != context.item(k)) continue;
            const std::int64_t whole = context.item(k) * baked.vector;
            if (context.begin(k) % static_cast<std::uintptr_t>(whole) != 0) return false;
            for (int other = 0; other < axis; ++other) {
                if (context.stride(k, other) % whole != 0) return false;
            }
        }
        return true;
    }();
    Baked wide = baked;
    if (aligned_at_start && walk.rank() > walk.kept) {
        for (const std::size_t k : context.arrays) {
            if (!context.is_written(k))
                wide.operands[k].access =
                    columns_are_dense(context, k) ? Access::vector : Access::elements;
        }
    }
    ReducedColumnsChoice choice{
        .accesses = access_limit(context.request, accesses_in_flight, baked.vector),
        .wide = aligned_at_start && !context.any_size() && may_be_wide(context, wide)};
    // Two kernels serve any size, with pieces and without. Their rows may begin anywhere.
    if (choice.wide) {
        baked = wide;
    } else if (shifted || context.any_size() || walk.extents[axis] % baked.vector != 0) {
        // Vectors of narrow elements that begin anywhere are read by the words around them.
        const bool by_words =
            std::all_of(context.arrays.begin(), context.arrays.end(), [&](std::size_t k) {
                const std::int64_t item = context.item(k);
                return context.is_written(k) || context.stride(k, axis) != item ||
                       (item < word_bytes && item * vector >= word_bytes);
            });
        // Vectors that are longer than a row would read other rows for nothing.
        if (by_words && vector > walk.extents[axis] && !context.any_size())
            return choose_columns(context, vector / 2, baked);
        for (BakedOperand& operand : baked.operands) {
            if (operand.access == Access::vector || (by_words && operand.access == Access::singles))
                operand.access = by_words ? Access::words : Access::singles;
        }
    }
    baked.block_bound = block_threads(context, baked.vector);
    // Whether there are enough blocks without splitting, see measure_reduced_columns.
    const std::int64_t across = least_across(context, baked);
    const std::int64_t tiles =
        choice.wide ? (walk.kept_count() == 0 ? 0 : walk.kept_count() / walk.extents[axis])
                    : count_tiles(context, baked, across);
    const std::int64_t height = baked.block_bound / across;
    // Small inputs: a block folds all rows of its columns.
    const std::int64_t slots =
        walk.reduced_count() * (choice.wide
                                    ? ceil_div(walk.extents[axis], baked.vector)
                                    : least_across(context, baked, line_threads(context, baked)));
    const bool is_whole = tiles < few_tiles && slots <= whole_slots(context, baked.vector) &&
                          input_bytes(context) <= 4 * small_bytes;
    choice.whole = is_whole && !context.any_size();
    choice.split = tiles < many_groups && !is_whole &&
                   (choice.wide || walk.reduced_count() > height * accesses_in_flight);
    if (!choice.split && !choice.wide && tiles >= few_tiles && !context.any_size()) {
        // float32, 1000 x 268435: 0.978 with 256 threads and eight accesses, 0.959 with 512 threads and four;
        // (256, 1024, 1024): 1.043 and 1.020.
        baked.block_bound = std::min(baked.block_bound, whole_threads);
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
    choice.accesses = held_limit(context, baked, choice.accesses, widest <= 2 ? 8 : 16);
    baked.choice = choice;
    baked.index_width = fold_index_width(context, 1);
}

// Chooses the loop with accesses of `vector` elements, or of fewer ones if rows or calls are short.
void choose_fitting_columns(const PlanContext& context, int vector, Baked& baked) {
    const std::int64_t row = context.walk.extents[column_axis(context)];
    Baked tried = baked;
    choose_columns(context, vector, tried);
    // Shorter vectors may be aligned, so that rows of which a tile's threads would read less than three quarters of their
    // vectors form wide rows. Mean and variance of float32 (14, 4930, 67) over the middle axis on an H200: 11.4 us with wide rows
    // of pairs, 18.2 with vectors of 4.
    for (int shorter = vector / 2; shorter > 1 && !tried.as<ReducedColumnsChoice>().wide &&
                                   !fills_tiles(row, vector) && !context.any_size();
         shorter /= 2) {
        Baked wide = baked;
        choose_columns(context, shorter, wide);
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
        choose_columns(context, small_vector, tried);
    }
    baked = tried;
}

bool choose_reduced_columns(const PlanContext& context, Baked& baked) {
    if (context.walk.kept == 0) return false;  // one output has no neighbour
    // Reduced rows of whole cache lines are read best along them.
    const int inner = context.rank() - 1;
    if (context.walk.inner_reduced && context.walk.reduced_count() > 0 &&
        context.walk.extents[inner] * widest_along(context, inner) >= cache_line_bytes)
        return false;
    const std::int64_t widest = widest_along(context, column_axis(context));
    const std::int64_t row = context.walk.extents[column_axis(context)];
    int vector =
        widest == 0 ? 1 : clone_limit(context.request, static_cast<int>(access_bytes / widest));
    // Idle threads of a tile cost as much as others if arithmetic bounds the call.
    while (vector > 1 && context.request.signature.facts.work >= spread_work &&
           !fills_tiles(row, vector) && !context.any_size())
        vector /= 2;
    choose_shorter_vectors(context, reduced_columns_loop, vector, choose_fitting_columns, baked);
    return true;
}

// Returns how many pieces form a bundle, or 0 if one block folds all pieces. Bundles are quicker if a thread of that block would
// wait for the L2 cache several times, or if the block would read more partials than one multiprocessor gets in such a wait or two.
std::uint32_t bundle_of(const PlanContext& context,
                        std::int64_t pieces,
                        std::int64_t period,
                        std::int64_t threads) {
    constexpr std::int64_t few_pieces = 9;
    constexpr std::int64_t most_reads = 48;
    constexpr std::int64_t most_bytes = 160 * 1024;
    const std::int64_t known = accumulator_bytes(context.request.signature, context.request.types);
    const std::int64_t bytes = known == 0 ? unknown_accumulator_bytes : known;
    const std::int64_t reads = ceil_div(pieces, std::max<std::int64_t>(threads / period, 1));
    if (pieces <= few_pieces ||
        (reads * std::max<std::int64_t>(bytes / word_bytes, 1) <= most_reads &&
         pieces * period * bytes <= most_bytes))
        return 0;
    return static_cast<std::uint32_t>(std::ceil(std::sqrt(static_cast<double>(pieces))));
}

Geometry measure_reduced_columns(const PlanContext& context, const Baked& baked) {
    const Walk& walk = context.walk;
    const std::int64_t columns = walk.extents[column_axis(context)];
    const std::int64_t outer = walk.kept_count() / columns;
    Geometry geometry;
    const auto& choice = baked.as<ReducedColumnsChoice>();
    ColumnTiles tiles = {};
    tiles.columns = columns;
    geometry.threads = baked.block_bound;
    std::int64_t rows = walk.reduced_count();
    std::int64_t period = 1;
    std::int64_t side_by_side = 1;
    if (choice.wide) {
        tiles.across = static_cast<int>(wide_threads(columns, baked.vector, geometry.threads));
        const std::int64_t elements = std::int64_t{tiles.across} * baked.vector;
        tiles.height = static_cast<int>(elements / columns);
        period = columns;
        rows = ceil_div(rows * columns, elements);
    } else {
        const auto [across, height] = thread_tile(context, baked, choice.split);
        tiles.across = static_cast<int>(across);
        tiles.height = static_cast<int>(height);
        period = across * baked.vector;
        side_by_side = ceil_div(columns, period);
        geometry.threads = static_cast<int>(across * height);
    }
    tiles.rows = rows;
    tiles.rows_each = rows;
    const std::int64_t groups = outer * side_by_side;
    std::int64_t pieces = 1;
    if (choice.split && rows > 0) {
        // A small number of groups is split so that all multiprocessors are busy but no second round of
        // blocks is needed: float32, 16384 x 16384, 1.039 with 512 blocks of 256 threads, 1.002 with 1024. A
        // larger number of groups is split into many rounds of blocks, so that an incomplete last round costs
        // little.
        const std::int64_t busy =
            std::int64_t{context.request.limits.processor_count} * busy_threads / column_threads;
        pieces = groups <= busy ? busy / groups : ceil_div(many_groups, groups);
        const std::int64_t rows_at_once = choice.wide ? 1 : tiles.height;
        pieces =
            std::clamp<std::int64_t>(pieces, 1, ceil_div(rows, rows_at_once * choice.accesses));
        tiles.rows_each = ceil_div(rows, pieces);
        pieces = ceil_div(rows, tiles.rows_each);
        tiles.bundle = bundle_of(context, pieces, period, geometry.threads);
        const std::int64_t bundles =
            tiles.bundle == 0 ? 0 : ceil_div(pieces, std::int64_t{tiles.bundle});
        geometry.scratch = {.accumulators = groups * (pieces + bundles) * period,
                            .counters = static_cast<int>(groups * (1 + bundles))};
    }
    geometry.blocks = count_blocks(context.request, groups * pieces, 1, geometry.threads);
    tiles.by_tiles = make_divisor32(side_by_side);
    tiles.by_pieces = make_divisor32(pieces);
    tiles.by_period = make_divisor32(period);
    geometry.own = tiles;
    return geometry;
}

std::string describe_reduced_columns(const Baked& baked) {
    const auto& choice = baked.as<ReducedColumnsChoice>();
    return fmt::format("{}each thread its columns, {} an access, {} at once{}",
                       choice.wide ? "several short rows as one, " : "",
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
    .explain = explain_reduced_columns,
    .has_any_size = true,
    .own = ColumnTiles{},
    .own_text = "kgen_column_tiles kgen_columns",
    .has_reach = true};

}  // namespace kgen
