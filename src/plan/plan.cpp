// SPDX-License-Identifier: MIT
#include "plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <kgen/error.hpp>
#include <limits>

#include "plan/bake_operand.hpp"
#include "plan/broadcast.hpp"
#include "plan/cuda_loop.hpp"
#include "plan/fill_block.hpp"
#include "plan/host_loop.hpp"
#include "plan/reduction_plan.hpp"

namespace kgen {

namespace {

constexpr std::int64_t narrow_limit = std::numeric_limits<std::int32_t>::max();

class Planner {
public:
    explicit Planner(const PlanRequest& request)
        : request_(request), facts_(request.signature.facts), operands_(request.operands) {}

    Plan run() {
        for (std::size_t k = 0; k < operands_.size(); ++k) {
            if (operands_[k].kind != OperandKind::array) continue;
            arrays_.push_back(k);
            if (request_.signature.parameters[k].by_reference) by_reference_ = true;
        }
        find_walk();
        if (is_general())
            add_axes();
        else if (!is_cuda())
            host_loop_ = choose_host_loop(request_, arrays_, walk_, index_strides_);
        LoopContext context{.request = request_,
                            .arrays = arrays_,
                            .walk = walk_,
                            .index_strides = index_strides_,
                            .by_reference = by_reference_};
        Plan plan;
        bake(context, plan.baked);
        plan.runtime.count = extent_product(request_.loop);
        plan.runtime.work = plan.runtime.count;
        if (plan.runtime.count == 0) return plan;
        Geometry geometry{.counts = walk_.extents};
        if (is_cuda()) geometry = chosen_loop(plan.baked).measure(context, plan.baked);
        plan.runtime.grid = geometry.blocks;
        plan.runtime.threads = geometry.threads;
        plan.runtime.shared_bytes = geometry.shared_bytes;
        plan.runtime.block = fill_block(context, plan.baked, geometry);
        return plan;
    }

private:
    bool is_general() const { return request_.fit == Fit::general; }
    bool is_cuda() const { return request_.target.kind == DeviceKind::cuda; }

    // Written operands come first, because the walk follows the memory of the first operands.
    void find_walk() {
        std::vector<std::size_t> order = arrays_;
        std::stable_partition(
            order.begin(), order.end(), [&](std::size_t k) { return operands_[k].written; });
        std::vector<Dims> strides;
        for (const std::size_t k : order) {
            strides.push_back(
                broadcast_strides(operands_[k].shape, operands_[k].strides, request_.loop));
        }
        // `i` and `_ind` count in C order, in any layout.
        const bool counted = facts_.index || facts_.indexer;
        const Walk sorted = make_walk(request_.loop,
                                      strides,
                                      counted ? AxisOrder::logical : AxisOrder::memory,
                                      request_.merging);
        walk_.extents = sorted.extents;
        walk_.strides.resize(operands_.size());
        walk_.offsets.assign(operands_.size(), 0);
        for (std::size_t j = 0; j < order.size(); ++j) {
            walk_.strides[order[j]] = sorted.strides[j];
            walk_.offsets[order[j]] = sorted.offsets[j];
        }
        index_strides_ = c_strides(walk_.extents, 1);
    }

    // Adds outer axes of extent 1 until the walk has general_rank axes.
    void add_axes() {
        check_general_rank(request_, walk_.extents.rank());
        const int added = general_rank - walk_.extents.rank();
        walk_.extents = with_inserted(walk_.extents, 0, added, 1);
        for (const std::size_t k : arrays_)
            walk_.strides[k] = with_inserted(walk_.strides[k], 0, added, 0);
        index_strides_ = c_strides(walk_.extents, 1);
    }

    IndexWidth loop_width() const {
        if (is_general()) return IndexWidth::bits64;
        if (extent_product(request_.loop) > narrow_limit) return IndexWidth::bits64;
        for (const std::size_t k : arrays_) {
            if (address_span(operands_[k]).size_bytes() >
                static_cast<std::uintptr_t>(narrow_limit)) {
                return IndexWidth::bits64;
            }
        }
        return IndexWidth::bits32;
    }

    BakedOperand bake_operand(std::size_t k) const {
        const Operand& operand = operands_[k];
        BakedOperand baked;
        baked.kind = operand.kind;
        if (operand.kind == OperandKind::array) {
            if (is_general())
                baked.inner = is_cuda() ? StrideClass::unit : StrideClass::strided;
            else if (!is_cuda())
                baked.inner = host_inner_class(host_loop_, walk_, k, item_size(operand.dtype));
            if (is_cuda() && is_read_only(request_, k)) baked.loads = Loads::read_only;
        }
        bake_view(request_, k, baked);
        return baked;
    }

    void bake(const LoopContext& context, Baked& baked) const {
        baked.device = request_.target.kind;
        baked.rank = std::max(walk_.extents.rank(), 1);
        baked.by_reference = by_reference_;
        baked.counted = facts_.index || facts_.indexer;
        for (std::size_t k = 0; k < operands_.size(); ++k)
            baked.operands.push_back(bake_operand(k));
        if (facts_.indexer) baked.logical_rank = request_.loop.rank();
        if (facts_.indexer || is_cuda()) baked.width = loop_width();
        if (!is_cuda()) {
            baked.loop = host_loop_;
            return;
        }
        if (is_general()) {
            choose_general(context, baked);
            return;
        }
        if (request_.block_size && *request_.block_size > usual_threads)
            baked.block_bound = most_threads;
        for (const CudaLoop& loop : cuda_loops()) {
            if (loop.choose(context, baked)) return;
        }
    }

    const PlanRequest& request_;
    const BodyFacts& facts_;
    std::span<const Operand> operands_;
    std::vector<std::size_t> arrays_;
    bool by_reference_ = false;
    Walk walk_;
    Dims index_strides_;  // strides of the C-order index along the walk
    LoopKind host_loop_ = LoopKind::rows;
};

}  // namespace

void check_general_rank(const PlanRequest& request, int rank) {
    if (rank <= general_rank) return;
    throw ShapeError(
        fmt::format("kernel '{}': its general variant has {} axes, but the layout of this call "
                    "has {} that do not merge; pass contiguous copies, or allow compiling",
                    request.signature.name,
                    general_rank,
                    rank));
}

Plan make_plan(const PlanRequest& request) {
    if (request.signature.reduction) return make_reduction_plan(request);
    return Planner(request).run();
}

}  // namespace kgen
