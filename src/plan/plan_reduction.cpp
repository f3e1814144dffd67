// SPDX-License-Identifier: MIT
//
// Makes the plan of a reduction: first its walk, then the loop from the device's table.
#include <algorithm>

#include "plan/bake_operand.hpp"
#include "plan/cuda_reduction.hpp"
#include "plan/reduction_plan.hpp"

namespace kgen {

namespace {

void bake_places(const PlanRequest& request, Baked& baked) {
    const ReductionFacts& facts = *request.signature.reduction;
    const bool input_indexer = facts.map_place.input_indexer || facts.post_place.input_indexer;
    const bool output_indexer = facts.map_place.output_indexer || facts.post_place.output_indexer;
    baked.counted = facts.map_place.index || facts.map_place.input_indexer;
    baked.counts_reduced = facts.map_place.reduced_index;
    baked.counts_outputs = output_indexer || facts.post_place.index;
    if (input_indexer) baked.logical_rank = request.loop.rank();
    if (!output_indexer) return;
    for (int axis = 0; axis < request.loop.rank(); ++axis) {
        if ((request.reduced_axes >> axis & 1) == 0) ++baked.output_rank;
    }
}

// Returns a walk with general_rank kept and general_rank reduced axes. The added axes have extent 1 and lie
// outside the others of their kind.
ReductionWalk make_general_walk(const PlanRequest& request) {
    ReductionWalk walk = make_reduction_walk(request);
    const int reduced = walk.rank() - walk.kept;
    check_general_rank(request, std::max(walk.kept, reduced));
    const auto pad = [&](Dims& dims, std::int64_t value) {
        // Operands that are not arrays, and unused indices, are not walked.
        if (dims.rank() != walk.kept + reduced) return;
        dims = with_inserted(dims, walk.kept, general_rank - reduced, value);
        dims = with_inserted(dims, 0, general_rank - walk.kept, value);
    };
    for (Dims& strides : walk.strides) pad(strides, 0);
    for (Dims& strides : walk.index_strides) pad(strides, 0);
    pad(walk.extents, 1);
    walk.kept = general_rank;
    return walk;
}

void choose_general_reduction(const ReductionContext& context, Baked& baked) {
    if (baked.device == DeviceKind::cuda) return choose_general_rows(context, baked);
    baked.loop = LoopKind::reduced_rows;
    for (const std::size_t k : context.arrays) baked.operands[k].inner = StrideClass::strided;
}

}  // namespace

Plan make_reduction_plan(const PlanRequest& request) {
    const bool on_cuda = request.target.kind == DeviceKind::cuda;
    std::vector<std::size_t> arrays;
    for (std::size_t k = 0; k < request.operands.size(); ++k) {
        if (request.operands[k].kind == OperandKind::array) arrays.push_back(k);
    }
    const bool is_general = request.fit == Fit::general;
    const ReductionWalk walk =
        is_general ? make_general_walk(request) : make_reduction_walk(request);
    const ReductionContext context{.request = request, .arrays = arrays, .walk = walk};

    Plan plan;
    Baked& baked = plan.baked;
    baked.device = request.target.kind;
    baked.rank = walk.rank();
    baked.kept = walk.kept;
    bake_places(request, baked);
    for (std::size_t k = 0; k < request.operands.size(); ++k) {
        BakedOperand operand;
        operand.kind = request.operands[k].kind;
        if (on_cuda && operand.kind == OperandKind::array && is_read_only(request, k))
            operand.loads = Loads::read_only;
        bake_view(request, k, operand);
        baked.operands.push_back(operand);
    }
    if (is_general) {
        choose_general_reduction(context, baked);
    } else if (on_cuda) {
        for (const CudaReduction& reduction : cuda_reductions()) {
            if (reduction.choose(context, baked)) break;
        }
    } else {
        choose_host_reduction(context, baked);
    }
    plan.runtime.count = walk.kept_count();
    if (plan.runtime.count == 0) return plan;
    plan.runtime.work = plan.runtime.count * std::max<std::int64_t>(walk.reduced_count(), 1);
    const ReductionGeometry geometry = on_cuda ? chosen_reduction(baked).measure(context, baked)
                                               : measure_host_reduction(context, baked);
    plan.runtime.grid = geometry.blocks;
    plan.runtime.threads = geometry.threads;
    plan.runtime.shared_bytes = geometry.shared_bytes;
    plan.runtime.scratch = geometry.scratch;
    plan.runtime.block = fill_reduction_block(context, baked, geometry);
    return plan;
}

}  // namespace kgen
