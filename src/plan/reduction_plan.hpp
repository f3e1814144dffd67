// SPDX-License-Identifier: MIT
//
// Plans of reductions: the input from which a loop is chosen, the sizes of its launch, and the table of
// loops.
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
    std::span<const std::size_t> arrays;  // indices of the operands that are walked
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

// reduced_rows on CUDA. A team of threads folds one output, or a piece of it. The elements of an output form
// segments: rows along the innermost axis. A segment is divided into slots of Baked::vector elements. An
// output is cut into segment_pieces * slot_pieces pieces. The last piece in each direction takes the rest.
struct RowTeams {
    std::int64_t row = 1;            // elements in a segment
    std::int64_t segments = 1;       // segments of an output; 0 if it has no elements
    std::int64_t segments_each = 1;  // segments of a piece
    std::int64_t slots_each = 1;     // slots of each segment that a piece takes
    std::int32_t segment_pieces = 1;
    std::int32_t slot_pieces = 1;
    std::int32_t team = 1;   // threads of a team: a power of two up to 32, or the whole block
    std::int32_t lanes = 1;  // threads of a team that fold one segment: a power of two
};

// staged_rows: a block copies rows to shared memory, and each of its threads folds whole rows from there.
struct StagedRows {
    std::int64_t rows = 1;   // rows of the whole launch
    std::int32_t row = 1;    // elements in a row
    std::int32_t block = 1;  // rows of a block
};

// reduced_columns on CUDA. The threads of a block form `height` rows of `across` threads. A thread folds
// Baked::vector neighbouring columns of every height-th row. If Baked::wide, `rows` and `rows_each` count
// wide rows, each of which holds several short rows.
struct ColumnTiles {
    std::int64_t columns = 1;    // elements along the innermost kept axis
    std::int64_t rows = 1;       // rows that are folded into an output
    std::int64_t rows_each = 1;  // rows of a piece
    std::int64_t tiles = 1;      // tiles side by side across the columns
    std::int32_t pieces = 1;     // pieces of each tile
    std::int32_t across = 1;     // threads side by side
    std::int32_t height = 1;     // threads below each other
    std::int32_t period = 1;     // elements after which the columns of a block repeat
};

// The sizes of one launch, which a loop computes from the extents.
struct ReductionGeometry {
    std::int64_t blocks = 0;
    int threads = 0;
    int shared_bytes = 0;
    ScratchNeed scratch = {};
    std::int64_t pieces = 1;  // host: most pieces of an output, or of a block of columns
    RowTeams teams = {};
    StagedRows staged = {};
    ColumnTiles columns = {};
};

// A row of the table of CUDA's reduction loops, see CudaLoop. `kgen explain` prints `when` and `why`.
struct CudaReduction {
    LoopKind kind;
    std::string_view when;
    std::string_view why;
    bool (*choose)(const ReductionContext& context, Baked& baked);
    ReductionGeometry (*measure)(const ReductionContext& context, const Baked& baked);
};
std::span<const CudaReduction> cuda_reductions() noexcept;
const CudaReduction& chosen_reduction(const Baked& baked);

// The same for the host, whose table is in plan/host_reduction.cpp.
void choose_host_reduction(const ReductionContext& context, Baked& baked);
ReductionGeometry measure_host_reduction(const ReductionContext& context, const Baked& baked);
// Says why the host runs this loop, for explain_plan.
std::vector<std::string> explain_host_reduction(const PlanRequest& request, const Plan& plan);

Plan make_reduction_plan(const PlanRequest& request);

// Says which loop CUDA runs, with which sizes and why, for explain_plan.
std::vector<std::string> explain_cuda_reduction(const PlanRequest& request, const Plan& plan);

// Return the layout and the bytes of a reduction's parameter block, see parameter_block.hpp and
// fill_block.hpp.
BlockLayout lay_out_reduction_block(const Baked& baked, std::span<const DType> dtypes);
std::vector<std::byte> fill_reduction_block(const ReductionContext& context,
                                            const Baked& baked,
                                            const ReductionGeometry& geometry);

inline bool is_reduction(LoopKind loop) noexcept {
    return loop == LoopKind::reduced_rows || loop == LoopKind::staged_rows ||
           loop == LoopKind::reduced_columns;
}

}  // namespace kgen
