// SPDX-License-Identifier: MIT
//
// The loop over staged rows, for dense rows of few bytes. If such rows were read in place, a thread would use
// only a part of each cache line, or the threads of a warp would fold fewer elements than they read at once.
// Figures are fractions of a copy's speed on an H200.
#include <fmt/format.h>

#include <algorithm>

#include "plan/cost_cuda.hpp"
#include "plan/plan_cuda.hpp"

namespace kgen {

namespace {

// Longest rows for which staging is as fast as any other loop (float32 rows of 127 elements: 1.014).
constexpr std::int64_t longest_row_bytes = 512;
// Bytes of shared memory for the rows of a block. float32 rows of 3: 0.785 with 3 KiB, 0.974 with 6 and 1.036
// with 12; rows of 7: 0.988 with 7 KiB and 1.032 with 14; rows of 63: 1.006 with 15 and 1.007 with 31.
constexpr std::int64_t block_bytes = std::int64_t{16} << 10;
constexpr std::int64_t long_rows_bytes = std::int64_t{32} << 10;
// The number of rows of a block is a multiple of this, so that its rows are whole vectors for any dtype.
constexpr std::int64_t row_unit = 32;
constexpr std::int64_t most_rows = 4096;

// Whether the input is contiguous along a row, and each row follows the one before it without a gap.
bool rows_are_dense(const PlanContext& context, std::size_t k) {
    const Walk& walk = context.walk;
    std::int64_t expected = context.item(k);
    if (context.stride(k, walk.rank() - 1) != expected) return false;
    expected *= walk.extents[walk.rank() - 1];
    for (int axis = walk.kept - 1; axis >= 0; --axis) {
        if (context.stride(k, axis) != expected) return false;
        expected *= walk.extents[axis];
    }
    return true;
}

bool choose_staged_rows(const PlanContext& context, Baked& baked) {
    const Walk& walk = context.walk;
    if (!walk.inner_reduced || walk.rank() != walk.kept + 1) return false;
    const std::int64_t row = walk.extents[walk.rank() - 1];
    if (row < 2 || walk.kept_count() < many_outputs) return false;
    std::int64_t row_bytes = 0;
    for (const std::size_t k : context.arrays) {
        if (context.is_written(k)) continue;
        const std::int64_t stride = context.stride(k, walk.rank() - 1);
        if (rows_are_dense(context, k)) {
            row_bytes += row * context.item(k);
        } else if (stride != 0) {
            return false;
        }
    }
    if (row_bytes == 0 || row_bytes > longest_row_bytes) return false;
    for (const std::size_t k : context.arrays) {
        if (!context.is_written(k))
            baked.operands[k].access =
                rows_are_dense(context, k) ? Access::shared : Access::uniform;
    }
    baked.block_bound = usual_threads;
    baked.index_width = index_width(walk.kept_count());
    return true;
}

Geometry measure_staged_rows(const PlanContext& context, const Baked& baked) {
    const Walk& walk = context.walk;
    const std::int64_t row = walk.extents[walk.rank() - 1];
    std::int64_t row_bytes = 0;
    for (const std::size_t k : context.arrays) {
        if (baked.operands[k].access == Access::shared) row_bytes += row * context.item(k);
    }
    const std::int64_t bytes = row_bytes > block_bytes / 64 ? long_rows_bytes : block_bytes;
    const std::int64_t rows =
        std::clamp(bytes / row_bytes / row_unit * row_unit, row_unit, most_rows);
    Geometry geometry;
    geometry.own = StageSizes{.rows = walk.kept_count(),
                              .row = static_cast<std::int32_t>(row),
                              .block = static_cast<std::int32_t>(rows)};
    geometry.threads = static_cast<int>(std::clamp<std::int64_t>(rows, 128, usual_threads));
    for (const std::size_t k : context.arrays) {
        if (baked.operands[k].access == Access::shared)
            geometry.shared_bytes += static_cast<int>(stage_room(rows * row * context.item(k)));
    }
    geometry.blocks = count_blocks(context.request, walk.kept_count(), rows, geometry.threads);
    return geometry;
}

std::string describe_staged_rows(const Baked&) {
    return "short rows through shared memory";
}

std::vector<std::string> explain_staged_rows(const PlanRequest&,
                                             const Plan&,
                                             const LoopStruct& own) {
    const auto& staged = std::get<StageSizes>(own);
    return {fmt::format(
        "tile: {} rows of {} elements, and a thread for each row", staged.block, staged.row)};
}

}  // namespace

constinit const Loop staged_rows_loop = {
    .kind = LoopKind::staged_rows,
    .name = "staged_rows",
    .when = "rows of few bytes follow each other without gaps",
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
