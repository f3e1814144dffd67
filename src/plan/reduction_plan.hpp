// SPDX-License-Identifier: MIT
//
// How reductions run: what the choice of a loop looks at, and the tables of loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "plan/baked.hpp"
#include "plan/plan.hpp"
#include "plan/reduction_walk.hpp"

namespace kgen {

struct ReductionContext {
    const PlanRequest& request;
    std::span<const std::size_t> arrays;  // the operands that are walked
    const ReductionWalk& walk;

    const Operand& operand(std::size_t k) const { return request.operands[k]; }
    bool is_written(std::size_t k) const { return operand(k).written; }
    std::int64_t item(std::size_t k) const {
        return static_cast<std::int64_t>(item_size(operand(k).dtype));
    }
    std::int64_t stride(std::size_t k, int axis) const { return walk.strides[k][axis]; }
    std::uintptr_t begin(std::size_t k) const {
        return operand(k).address + static_cast<std::uintptr_t>(walk.offsets[k]);
    }
};

// reduced_rows on CUDA. A team of threads folds one output, or a piece of it: its elements lie in
// segments, rows along the innermost axis, each cut into slots of Baked::vector elements.
struct RowTeams {
    std::int64_t row = 1;       // elements of a segment
    std::int64_t segments = 1;  // of an output; 0 if it has no elements, as each segment is read
    std::int64_t segments_each = 1;  // of a piece; its last one takes what is left
    std::int64_t slots_each = 1;     // of a segment, for a piece; likewise
    std::int32_t segment_pieces = 1;
    std::int32_t slot_pieces = 1;
    std::int32_t team = 1;   // threads; a power of two up to 32, or the block
    std::int32_t lanes = 1;  // of them, which fold one segment; a power of two
};

// staged_rows: a block copies so many rows into shared memory, and each of its threads folds whole rows.
struct StagedRows {
    std::int64_t rows = 1;   // all
    std::int32_t row = 1;    // elements
    std::int32_t block = 1;  // rows of a block
};

// reduced_columns on CUDA. A block has `height` rows of `across` threads; a thread folds Baked::vector
// neighbouring columns of every height-th row. Folded: rows are so short that several make one wide row.
struct ColumnTiles {
    std::int64_t columns = 1;    // elements of the innermost axis
    std::int64_t rows = 1;       // of an output: all that is reduced
    std::int64_t rows_each = 1;  // of a piece; of wide rows where these are
    std::int64_t tiles = 1;      // of an output's columns
    std::int32_t pieces = 1;
    std::int32_t across = 1;  // threads
    std::int32_t height = 1;
    std::int32_t period = 1;  // elements after which a block's columns repeat
};

// What a loop computes from the extents for one launch.
struct ReductionGeometry {
    std::int64_t blocks = 0;
    int threads = 0;
    int shared_bytes = 0;
    ScratchNeed scratch = {};
    std::int64_t pieces =
        1;  // the host: the most that an output, or a block of columns, is cut into
    RowTeams teams = {};
    StagedRows staged = {};
    ColumnTiles columns = {};
};

// A row of the table of CUDA's reductions, as CudaLoop is of elementwise loops.
struct CudaReduction {
    LoopKind kind;
    std::string_view when;
    std::string_view why;
    bool (*choose)(const ReductionContext& context, Baked& baked);
    ReductionGeometry (*measure)(const ReductionContext& context, const Baked& baked);
};
std::span<const CudaReduction> cuda_reductions() noexcept;
const CudaReduction& chosen_reduction(const Baked& baked);

// The host's: plan/host_reduction.cpp.
void choose_host_reduction(const ReductionContext& context, Baked& baked);
ReductionGeometry measure_host_reduction(const ReductionContext& context, const Baked& baked);
// Why it is so, for explain_plan.
std::vector<std::string> explain_host_reduction(const PlanRequest& request, const Plan& plan);

Plan make_reduction_plan(const PlanRequest& request);

// Which strategy, its parameters and why, line by line.
std::vector<std::string> explain_cuda_reduction(const PlanRequest& request, const Plan& plan);

// The parameter block of a reduction, see parameter_block.hpp.
BlockLayout lay_out_reduction_block(const Baked& baked, std::span<const DType> dtypes);
std::vector<std::byte> fill_reduction_block(const ReductionContext& context,
                                            const Baked& baked,
                                            const ReductionGeometry& geometry);

inline bool is_reduction(LoopKind loop) noexcept {
    return loop == LoopKind::reduced_rows || loop == LoopKind::staged_rows ||
           loop == LoopKind::reduced_columns;
}

}  // namespace kgen
