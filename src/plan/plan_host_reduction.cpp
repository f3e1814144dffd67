// SPDX-License-Identifier: MIT
//
// The host's reduction loops.
//
// Chunks of elements or rows have a fixed size, and a tree folds the chunks. The tree depends only on the
// number of chunks, so the bits of a result depend neither on the threads nor on the compiler. If there are
// so few outputs that threads would be idle, each output is cut into pieces, which are whole subtrees
// (`split`). The thread that finishes the last piece folds all pieces.
//
// Measured for float32 sums of squares on one core of a Xeon with 2 MiB of L2, in GB/s for 2^25 and 2^15
// elements: rows 14.0 and 75, eight 256-bit accumulators written by hand 11.7 and 65; columns 13.0 and 61.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "plan/host_short_row.hpp"
#include "plan/plan_host.hpp"

namespace kgen {

namespace {

// These constants have the same values in kernel_templates/skeletons/loops/reduced_{rows,columns}_host.cuh
// and reduce_host.cuh.
constexpr std::int64_t chunk_elements = 16384;
constexpr std::int64_t chunk_rows = 256;
constexpr std::int64_t columns_at_once =
    256;  // columns that are folded at once; fewer if accumulators are large

// Limits within which short rows are folded side by side, as columns are. A row that is folded alone costs
// about 8 ns in addition to its elements. If its length is not a multiple of 16, it costs 15 ns more, because
// scalar code computes the rest, which is then read as vectors. Measured for float32 sums of squares in L2 on
// one core of a Xeon, in GB/s as rows and as columns: 16 elements - and 12.7, 20: 3.0 and 12.8, 32: 14.0 and
// 12.5, 63: 8.5 and 13.4, 64: 25 and 4.1 (the cache lines of a column share few sets of the L1 cache), 100:
// 14.3 and 13.8.
constexpr std::int64_t most_short_fold = 16;
constexpr std::int64_t most_odd_fold = 64;
constexpr std::int64_t least_short_folds = 16;
// Rows of fewer elements cost so much that a few neighbours suffice. Measured for rows of 2 float64, 4 outputs and
// 528 elements of each: as rows 13.5 us, as columns 6.8.
constexpr std::int64_t most_tiny_row = 8;
constexpr std::int64_t least_tiny_folds = 4;

// Limits of short_folds. At once, it folds up to most_few_folds elements, if their texts have up to
// most_few_tokens together. Otherwise wide rows are as fast from least_wide elements of an output and its
// neighbours on, and reduced_columns from most_block elements and least_columns neighbours on. There must be
// least_folded_rows rows of outputs to keep threads busy.
constexpr std::int64_t most_few_folds = 16;
constexpr std::int64_t most_few_rows = 8;  // elements of an axis inside the rows of reduced_rows
constexpr std::int64_t most_few_tokens = 256;
constexpr std::int64_t least_columns = 8;
constexpr std::int64_t most_block = 256;
constexpr std::int64_t least_wide = 128;
constexpr std::int64_t least_folded_rows = 16;

// Least number of elements for which several threads share a loop, so that cutting outputs into pieces helps.
constexpr std::int64_t least_split = std::int64_t{1} << 17;
// The number of units of work that keeps all threads busy, and the greatest number of partial results.
constexpr std::int64_t least_units = 512;
constexpr std::int64_t most_partials = std::int64_t{1} << 18;
// Greatest number of partial results if the accumulator is of a user-defined type, whose size is unknown
// here.
constexpr std::int64_t most_own_partials = std::int64_t{1} << 14;

// Whether an output has few elements, or its rows along the innermost axis do.
bool is_short_fold(const Walk& walk) {
    if (walk.extents[walk.rank() - 1] < most_short_fold) return true;
    const std::int64_t row = walk.reduced_count();
    return row <= (row % most_short_fold == 0 ? most_short_fold : most_odd_fold);
}

bool folds_rows(const PlanContext& context) {
    const Walk& walk = context.walk;
    if (walk.kept == 0) return true;
    if (!walk.inner_reduced) return false;
    const bool is_tiny = walk.extents[walk.rank() - 1] < most_tiny_row;
    return !is_short_fold(walk) ||
           walk.extents[walk.kept - 1] < (is_tiny ? least_tiny_folds : least_short_folds);
}

// Whether several short rows can be folded as one wide row. For this, each row, and each index that the map
// uses, must continue at the end of the row before it.
bool folds_wide_rows(const PlanContext& context) {
    const Walk& walk = context.walk;
    const int inner = walk.rank() - 1;
    const int column = walk.kept - 1;
    const ReductionFacts& facts = *context.request.signature.reduction;
    if (inner <= column || 2 * walk.extents[column] > columns_at_once) return false;
    if (facts.map_place.uses_reduced() || facts.map_place.uses_output()) return false;
    const auto goes_on = [&](const StrideRows& rows, std::size_t k) {
        return rows.at(k, inner) == rows.at(k, column) * walk.extents[column];
    };
    if (context.uses(PlaceIndex::input) &&
        !goes_on(walk.index_strides, static_cast<std::size_t>(PlaceIndex::input)))
        return false;
    return std::all_of(context.arrays.begin(), context.arrays.end(), [&](std::size_t k) {
        return context.is_written(k) || goes_on(walk.strides, k);
    });
}

// Number of units of work that threads share if no output is split, and the greatest number of pieces into
// which each output is cut.
struct Shares {
    std::int64_t units;
    std::int64_t pieces;
};

Shares shares(const PlanContext& context, const Baked& baked, bool wide) {
    const Walk& walk = context.walk;
    const std::int64_t kept = walk.kept_count();
    const std::int64_t reduced = walk.reduced_count();
    const auto* rows = std::get_if<ReducedRowsChoice>(&baked.choice);
    const auto few = static_cast<unsigned>(rows != nullptr ? std::max(rows->few, 1) : 1);
    Shares found{kept, ceil_div(reduced / few, chunk_elements / std::bit_ceil(few))};
    if (baked.loop == LoopKind::reduced_columns) {
        const std::int64_t columns = walk.extents[walk.kept - 1];
        const std::int64_t high = wide ? columns_at_once / columns : 1;
        found = {kept / columns * ceil_div(columns, columns_at_once),
                 ceil_div(reduced / high, chunk_rows)};
    }
    const bool is_own = context.request.signature.reduction->has_own_accumulator;
    const std::int64_t partials = is_own ? most_own_partials : most_partials;
    found.pieces =
        std::min({found.pieces, ceil_div(2 * least_units, found.units), partials / kept});
    if (kept * reduced < least_split || found.units >= least_units || found.pieces < 2)
        found.pieces = 1;
    return found;
}

bool is_wide(const Baked& baked) {
    return baked.loop == LoopKind::reduced_columns && baked.as<ReducedColumnsChoice>().wide;
}

// Bakes the stride classes of the inputs along `axis`. Returns whether outputs are cut into pieces.
bool bake_inputs(const PlanContext& context, int axis, bool wide, Baked& baked) {
    bake_along(context, axis, baked);
    return context.walk.kept_count() > 0 && shares(context, baked, wide).pieces > 1;
}

// Number of elements of each output if short_folds folds them at once, otherwise 0.
int few_folds(const PlanContext& context) {
    // Below this number of elements, a call gains less than the compile of a kernel for its fold length takes.
    constexpr std::int64_t least_elements = 1 << 10;
    const std::int64_t reduced = context.walk.reduced_count();
    if (context.walk.kept_count() * reduced < least_elements) return 0;
    const auto tokens = static_cast<std::int64_t>(context.token_count());
    return reduced <= most_few_folds && (reduced - 1) * tokens <= most_few_tokens
               ? static_cast<int>(reduced)
               : 0;
}

// A few elements are folded without packs if the rows of one axis are not short. Measured for 13 elements of 64 x 32
// outputs, three inputs: with packs 30 us, as columns 16, as rows of 32 outputs 11.
ShortRow short_fold_row(const PlanContext& context) {
    const int few = few_folds(context);
    const ShortRow row = short_row(context, context.walk.kept, std::max(few, 1));
    const bool is_packed =
        row.axes() > 1 &&
        std::any_of(context.arrays.begin(), context.arrays.end(), [&](std::size_t k) {
            return short_row_class(context, k, row) == StrideClass::strided;
        });
    const bool is_single =
        few > 0 && is_packed && context.walk.extents[row.last - 1] >= least_short_folds;
    return is_single ? short_row(context, context.walk.kept, few, 1) : row;
}

// Whether short_folds is faster than the other loops.
bool suits_short_folds(const PlanContext& context, const ShortRow& row) {
    const Walk& walk = context.walk;
    const std::int64_t reduced = walk.reduced_count();
    const std::int64_t elements = walk.kept_count() * reduced;
    if (elements >= least_split && walk.kept_count() / row.elements() < least_folded_rows)
        return false;
    if (few_folds(context) > 0) return true;
    const std::int64_t columns = walk.extents[walk.kept - 1];
    // A wide row ends with folds of its accumulators, which are slow for structs.
    const bool is_wide = folds_wide_rows(context) &&
                         !context.request.signature.reduction->has_own_accumulator &&
                         reduced * columns >= least_wide;
    const bool is_row = walk.inner_reduced && !is_short_fold(walk);
    const bool is_long = columns >= least_columns && reduced * columns >= most_block;
    return !is_wide && !is_row && !is_long && row.axes() > 1 && row.elements() >= least_short_folds;
}

bool choose_host_short_folds(const PlanContext& context, Baked& baked) {
    const Walk& walk = context.walk;
    if (walk.kept == 0 || walk.kept_count() == 0 || walk.reduced_count() == 0) return false;
    if (!fits_short_rows(context, walk.kept)) return false;
    const ShortRow row = short_fold_row(context);
    const bool is_named = !context.request.loop_name.empty();
    if (!is_named && !suits_short_folds(context, row)) return false;
    bake_short_row(context, row, baked);
    baked.choice = ShortFoldsChoice{.axes = row.axes(), .few = few_folds(context)};
    return true;
}

Geometry measure_host_short_folds(const PlanContext& context, const Baked&) {
    Geometry geometry;
    geometry.own = short_fold_row(context).height;
    return geometry;
}

std::string describe_host_short_folds(const Baked& baked) {
    const auto& choice = baked.as<ShortFoldsChoice>();
    const std::string rows =
        choice.axes == 1 ? "neighbouring outputs side by side"
                         : fmt::format("short rows of outputs, the inner {} of {} kept axes as one",
                                       choice.axes,
                                       baked.kept);
    const std::string folds =
        choice.few == 0 ? "" : fmt::format(", {} at once", count_of(choice.few, "element"));
    return fmt::format("{}{}, {} of {} reduced",
                       rows,
                       folds,
                       baked.rank - baked.kept,
                       count_of(baked.rank, "axis"));
}

// Extent of the innermost axis if that has few elements, whose fold is an element of a row along the axis before it, otherwise 0.
int few_in_rows(const PlanContext& context) {
    constexpr std::int64_t least_row = 16;
    const Walk& walk = context.walk;
    const int inner = walk.rank() - 1;
    if (inner <= walk.kept || context.request.fit != Fit::call || context.uses(PlaceIndex::input) ||
        context.uses(PlaceIndex::reduced) || context.uses(PlaceIndex::output))
        return 0;
    const std::int64_t few = walk.extents[inner];
    const auto tokens = static_cast<std::int64_t>(context.token_count());
    return few <= most_few_rows && few * tokens <= most_few_tokens &&
                   walk.extents[inner - 1] >= least_row
               ? static_cast<int>(few)
               : 0;
}

// Whether rows whose elements are folds of few are faster than neighbouring outputs side by side. Measured for 2000 outputs of 60 x 7 float32,
// one of two inputs the same in all 60 rows: columns 216 us, so 126; of 60 x 2 uint16: 43 and 64; of 60 x 7 float16: 170 and 254.
bool folds_few_in_rows(const PlanContext& context) {
    constexpr int least_few = 3;
    constexpr std::int64_t least_row = 32;
    const Walk& walk = context.walk;
    if (!walk.inner_reduced || few_in_rows(context) < least_few ||
        walk.extents[walk.rank() - 2] < least_row || folds_wide_rows(context))
        return false;
    return std::ranges::none_of(context.arrays, [&](std::size_t k) {
        const DType dtype = context.operand(k).dtype;
        return dtype == float16 || dtype == bfloat16;
    });
}

bool choose_host_reduced_rows(const PlanContext& context, Baked& baked) {
    if (!folds_rows(context) && !folds_few_in_rows(context)) return false;
    const int few = few_in_rows(context);
    baked.choice = ReducedRowsChoice{.few = few};
    const int along = context.rank() - (few > 0 ? 2 : 1);
    baked.choice =
        ReducedRowsChoice{.split = bake_inputs(context, along, false, baked), .few = few};
    return true;
}

bool choose_host_reduced_columns(const PlanContext& context, Baked& baked) {
    if (context.walk.kept == 0) return false;  // one output has no neighbour
    const bool wide = folds_wide_rows(context);
    const bool split = bake_inputs(context, context.walk.kept - 1, wide, baked);
    baked.choice = ReducedColumnsChoice{.wide = wide, .split = split};
    return true;
}

void choose_general_host_reduction(const PlanContext& context, Baked& baked) {
    baked.choice = ReducedRowsChoice();
    for (const std::size_t k : context.arrays) baked.operands[k].inner = StrideClass::strided;
}

Geometry measure_host_reduction(const PlanContext& context, const Baked& baked) {
    Geometry geometry;
    geometry.own = std::int64_t{1};
    if (!is_split(baked)) return geometry;
    const std::int64_t pieces = shares(context, baked, is_wide(baked)).pieces;
    const std::int64_t kept = context.walk.kept_count();
    geometry.own = pieces;
    geometry.scratch = {kept * pieces, static_cast<int>(kept)};
    return geometry;
}

std::string describe_host_reduction(const Baked& baked) {
    const auto* rows = std::get_if<ReducedRowsChoice>(&baked.choice);
    const int reduced = baked.rank - baked.kept;
    const std::string few =
        rows == nullptr || rows->few == 0
            ? ""
            : fmt::format(", {} of the innermost axis at once", count_of(rows->few, "element"));
    return fmt::format(
        "{}{}{}, {} of {} reduced",
        rows != nullptr ? "output by output" + few : "neighbouring outputs side by side",
        is_wide(baked) ? ", several short rows as one" : "",
        is_split(baked) ? ", in pieces that threads share" : "",
        reduced,
        count_of(baked.rank, "axis"));
}

std::vector<std::string> explain_host_reduction(const PlanRequest&,
                                                const Plan& plan,
                                                const LoopStruct& own) {
    std::vector<std::string> lines = {
        "order: chunks have a fixed size and are folded in a fixed order, so the bits of a result "
        "do not depend on the number of threads"};
    if (is_split(plan.baked))
        lines.push_back(
            fmt::format("pieces: each output is cut into up to {}, because there are few outputs",
                        std::get<std::int64_t>(own)));
    return lines;
}

}  // namespace

constinit const Loop host_short_folds_loop = {
    .kind = LoopKind::short_folds,
    .name = "short_folds",
    .when = "each output has few elements, or few outputs are neighbours",
    .why = "each fold, and each row of outputs, costs time beside its elements",
    .choose = choose_host_short_folds,
    .measure = measure_host_short_folds,
    .describe = describe_host_short_folds,
    .own = std::int64_t{1},
    .own_text = "long long kgen_height"};

constinit const Loop host_reduced_rows_loop = {
    .kind = LoopKind::reduced_rows,
    .name = "reduced_rows",
    .when = "the inputs are closest in memory along a reduced axis",
    .why = "each row is folded into many accumulators at once",
    .choose = choose_host_reduced_rows,
    .measure = measure_host_reduction,
    .describe = describe_host_reduction,
    .explain = explain_host_reduction,
    .choose_general = choose_general_host_reduction,
    .own = std::int64_t{1},
    .own_text = "long long kgen_pieces"};

constinit const Loop host_reduced_columns_loop = {
    .kind = LoopKind::reduced_columns,
    .name = "reduced_columns",
    .when = "the inputs are closest in memory along a kept axis, or rows are many and short",
    .why = "neighbouring outputs are folded at once",
    .choose = choose_host_reduced_columns,
    .measure = measure_host_reduction,
    .describe = describe_host_reduction,
    .explain = explain_host_reduction,
    .own = std::int64_t{1},
    .own_text = "long long kgen_pieces"};

}  // namespace kgen
