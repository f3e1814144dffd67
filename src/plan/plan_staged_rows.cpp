// SPDX-License-Identifier: MIT
//
// The loop over staged rows, for dense rows of few bytes. If such rows were read in place, a thread would use
// only a part of each cache line, or the threads of a warp would fold fewer elements than they read at once.
// The rows may lie side by side, if an axis inside the reduced one is kept: then the elements of a row are as far apart as
// there are columns. All rows that lie side by side are a segment. Figures are fractions of a copy's speed on an H200.
#include <fmt/format.h>

#include <algorithm>

#include "plan/cost_cuda.hpp"
#include "plan/plan_cuda.hpp"

namespace kgen {

namespace {

// Longest rows for which staging is as fast as any other loop: float32 rows of 127 elements 1.014. Rows of few elements may
// be longer: float64 rows of 77 elements 1.010, and 0.838 by teams of 8 threads. float16 rows of 400 would have 0.827.
// With a user-defined accumulator a thread has much to do for each row, and shared memory holds too few longer rows to
// keep the threads busy: mean and variance of float32 rows of 100 elements 0.693, and 0.683 by teams; of 127 elements
// 0.578 and 0.722.
constexpr std::int64_t longest_row_bytes = 512;
constexpr std::int64_t longest_wide_row_bytes = 1024;
constexpr std::int64_t longest_own_row_bytes = 400;
constexpr std::int64_t most_wide_elements = 256;
// Bytes of shared memory for the rows of a block. float32 rows of 3: 0.785 with 3 KiB, 0.974 with 6 and 1.036
// with 12; rows of 7: 0.988 with 7 KiB and 1.032 with 14; rows of 63: 1.006 with 15 and 1.007 with 31.
constexpr std::int64_t block_bytes = std::int64_t{16} << 10;
constexpr std::int64_t long_rows_bytes = std::int64_t{32} << 10;
// The number of rows of a block is a multiple of this, so that its rows are whole vectors for any dtype.
constexpr std::int64_t row_unit = 32;
constexpr std::int64_t most_rows = 4096;

std::int64_t longest_row(const PlanContext& context, std::int64_t elements) {
    if (context.request.signature.reduction->has_own_accumulator) return longest_own_row_bytes;
    return elements > most_wide_elements ? longest_row_bytes : longest_wide_row_bytes;
}

// What the walk of a call means to this loop.
struct Segments {
    std::int64_t row = 0;        // elements of a row
    std::int64_t columns = 1;    // rows of a segment
    std::int64_t row_bytes = 0;  // of all staged inputs
};

// Whether each element of the input is in one segment, and segments follow each other without gaps.
bool fills_segments(const PlanContext& context, std::size_t k) {
    const Walk& walk = context.walk;
    std::int64_t expected = context.item(k);
    const auto fits = [&](int axis) {
        if (context.stride(k, axis) != expected) return false;
        expected *= walk.extents[axis];
        return true;
    };
    const int outer = walk.inner_reduced ? walk.kept : walk.kept - 1;
    if (outer < walk.kept && !fits(outer)) return false;
    if (!fits(walk.kept)) return false;
    for (int axis = outer - 1; axis >= 0; --axis) {
        if (!fits(axis)) return false;
    }
    return true;
}

Segments find_segments(const PlanContext& context) {
    const Walk& walk = context.walk;
    Segments segments{.row = walk.extents[walk.kept],
                      .columns = walk.inner_reduced ? 1 : walk.extents[walk.kept - 1]};
    for (const std::size_t k : context.arrays) {
        if (!context.is_written(k) && fills_segments(context, k))
            segments.row_bytes += segments.row * context.item(k);
    }
    return segments;
}

bool choose_staged_rows(const PlanContext& context, Baked& baked) {
    const Walk& walk = context.walk;
    if (walk.kept == 0 || walk.rank() != walk.kept + 1) return false;
    if (walk.kept_count() < many_outputs) return false;
    // Segments are found by sizes.
    if (!walk.inner_reduced && context.any_size()) return false;
    const Segments segments = find_segments(context);
    if (segments.row < 2 || segments.row_bytes == 0 ||
        segments.row_bytes > longest_row(context, segments.row) ||
        segments.row_bytes * segments.columns > long_rows_bytes)
        return false;
    for (const std::size_t k : context.arrays) {
        if (!context.is_written(k) && !fills_segments(context, k) &&
            context.stride(k, walk.kept) != 0)
            return false;
    }
    for (const std::size_t k : context.arrays) {
        if (!context.is_written(k))
            baked.operands[k].access =
                fills_segments(context, k) ? Access::shared : Access::uniform;
    }
    baked.choice = StagedRowsChoice{.side_by_side = !walk.inner_reduced};
    baked.block_bound = usual_threads;
    baked.index_width = index_width(walk.kept_count());
    return true;
}

Geometry measure_staged_rows(const PlanContext& context, const Baked& baked) {
    const Walk& walk = context.walk;
    const auto [row, columns, row_bytes] = find_segments(context);
    const std::int64_t room = row_bytes > block_bytes / 64 ? long_rows_bytes : block_bytes;
    // Rows that lie side by side make blocks of whole vectors only if that takes few of them.
    const std::int64_t unit = columns == 1 ? row_unit : 1;
    const std::int64_t block =
        std::clamp(room / (row_bytes * columns) / unit * unit, unit, most_rows);
    const std::int64_t count = walk.kept_count() / columns;
    Geometry geometry;
    geometry.own = StageSizes{.segments = count,
                              .row = static_cast<std::int32_t>(row),
                              .block = static_cast<std::int32_t>(block),
                              .by_columns = make_divisor32(columns)};
    geometry.threads =
        static_cast<int>(std::clamp<std::int64_t>(block * columns / 32 * 32, 128, usual_threads));
    for (const std::size_t k : context.arrays) {
        if (baked.operands[k].access == Access::shared)
            geometry.shared_bytes +=
                static_cast<int>(stage_room(block * columns * row * context.item(k)));
    }
    geometry.blocks = count_blocks(context.request, count, block, geometry.threads);
    return geometry;
}

std::string describe_staged_rows(const Baked& baked) {
    return baked.as<StagedRowsChoice>().side_by_side
               ? "short rows that lie side by side, through shared memory"
               : "short rows through shared memory";
}

std::vector<std::string> explain_staged_rows(const PlanRequest&,
                                             const Plan&,
                                             const LoopStruct& own) {
    const auto& staged = std::get<StageSizes>(own);
    return {fmt::format("tile: {} rows of {} elements, and a thread for each row",
                        staged.block * static_cast<std::int64_t>(staged.by_columns.extent),
                        staged.row)};
}

}  // namespace

constinit const Loop staged_rows_loop = {
    .kind = LoopKind::staged_rows,
    .name = "staged_rows",
    .when = "rows of few bytes follow each other, or lie side by side, without gaps",
    .why =
        "a block copies its rows to shared memory in whole cache lines, and each thread "
        "folds whole rows from there",
    .choose = choose_staged_rows,
    .measure = measure_staged_rows,
    .describe = describe_staged_rows,
    .predict = predict_staged_rows,
    .phases = 3,
    .explain = explain_staged_rows,
    .has_any_size = true,
    .own = StageSizes{},
    .own_text = "kgen_stage_sizes kgen_staged"};

}  // namespace kgen
