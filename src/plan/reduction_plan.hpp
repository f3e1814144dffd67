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
