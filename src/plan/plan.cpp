// SPDX-License-Identifier: MIT
#include "plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <kgen/error.hpp>
#include <limits>

#include "plan/broadcast.hpp"
#include "plan/overlap.hpp"
#include "plan/vector_width.hpp"

namespace kgen {

namespace {

constexpr std::int64_t narrow_limit = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t most_blocks = std::numeric_limits<std::int32_t>::max();
constexpr int default_threads = 256;

class Planner {
public:
    explicit Planner(const PlanRequest& request)
        : request_(request), facts_(request.signature.facts), operands_(request.operands) {}

    Plan run() {
        for (std::size_t k = 0; k < operands_.size(); ++k) {
            if (operands_[k].kind == OperandKind::array) arrays_.push_back(k);
        }
        walk_ = find_walk();
        Plan plan;
        plan.baked = bake();
        plan.runtime = make_runtime(plan.baked);
        plan.width_reason = width_reason_;
        return plan;
    }

private:
    bool is_cuda() const { return request_.target.kind == DeviceKind::cuda; }

    Dims walked_strides(std::size_t k) const {
        return broadcast_strides(operands_[k].shape, operands_[k].strides, request_.loop);
    }

    // Written operands first: the walk follows their memory.
    Walk find_walk() const {
        std::vector<std::size_t> order = arrays_;
        std::stable_partition(
            order.begin(), order.end(), [&](std::size_t k) { return operands_[k].written; });
        std::vector<Dims> strides;
        for (const std::size_t k : order) strides.push_back(walked_strides(k));
        // `i` and `_ind` count in C order, whatever way memory lies.
        const bool counted = facts_.index || facts_.indexer;
        const Walk sorted = make_walk(request_.loop,
                                      strides,
                                      counted ? AxisOrder::logical : AxisOrder::memory,
                                      request_.merging);
        Walk walk;
        walk.extents = sorted.extents;
        walk.strides.resize(operands_.size());
        walk.offsets.assign(operands_.size(), 0);
        for (std::size_t j = 0; j < order.size(); ++j) {
            walk.strides[order[j]] = sorted.strides[j];
            walk.offsets[order[j]] = sorted.offsets[j];
        }
        return walk;
    }

    StrideClass inner_class(std::size_t k) const {
        const int rank = walk_.extents.rank();
        if (rank == 0) return StrideClass::unit;  // one element
        const std::int64_t stride = walk_.strides[k][rank - 1];
        if (stride == static_cast<std::int64_t>(item_size(operands_[k].dtype)))
            return StrideClass::unit;
        return stride == 0 ? StrideClass::uniform : StrideClass::strided;
    }

    // Nobody writes its bytes during the kernel: no output, and no raw parameter reaches them.
    bool is_read_only(std::size_t k) const {
        if (operands_[k].written) return false;
        const AddressSpan span = address_span(operands_[k]);
        for (std::size_t j = 0; j < operands_.size(); ++j) {
            const bool may_write = operands_[j].written || operands_[j].kind == OperandKind::raw;
            if (may_write && operands_[j].kind != OperandKind::scalar &&
                span.intersects(address_span(operands_[j]))) {
                return false;
            }
        }
        return true;
    }

    IndexWidth loop_width() const {
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
        const Parameter& parameter = request_.signature.parameters[k];
        BakedOperand baked;
        baked.kind = operand.kind;
        if (operand.kind == OperandKind::array) {
            baked.inner = inner_class(k);
            if (is_cuda() && is_read_only(k)) baked.loads = Loads::read_only;
        }
        if (operand.kind == OperandKind::raw ||
            (operand.kind == OperandKind::array && parameter.viewed)) {
            baked.viewed = true;
            const Dims shape = view_shape(k);
            const Dims strides = view_strides(k);
            baked.view_rank = shape.rank();
            baked.view_contiguous = is_c_contiguous(shape, strides, item_size(operand.dtype));
            const bool narrow =
                extent_product(shape) <= narrow_limit &&
                address_span(operand).size_bytes() <= static_cast<std::uintptr_t>(narrow_limit);
            // A contiguous view does no division, so that its width would only make more variants.
            if (narrow && !baked.view_contiguous) baked.view_width = IndexWidth::bits32;
        }
        return baked;
    }

    // A raw parameter shows its own shape, `_raw_name` the broadcast one that `_ind` indexes.
    Dims view_shape(std::size_t k) const {
        return operands_[k].kind == OperandKind::raw ? operands_[k].shape : request_.loop;
    }
    Dims view_strides(std::size_t k) const {
        return operands_[k].kind == OperandKind::raw ? operands_[k].strides : walked_strides(k);
    }

    Baked bake() {
        Baked baked;
        baked.device = request_.target.kind;
        baked.rank = walk_.extents.rank();
        for (std::size_t k = 0; k < operands_.size(); ++k) {
            baked.operands.push_back(bake_operand(k));
            if (operands_[k].kind == OperandKind::array &&
                request_.signature.parameters[k].by_reference) {
                baked.by_reference = true;
            }
        }
        if (facts_.indexer) {
            baked.logical_rank = request_.loop.rank();
            baked.width = loop_width();
        }
        if (!is_cuda()) {
            baked.loop = LoopKind::rows;
            baked.rank = std::max(baked.rank, 1);
            return baked;
        }
        if (request_.block_size && *request_.block_size > default_threads)
            baked.block_bound = most_threads;
        bake_cuda_loop(baked);
        return baked;
    }

    void bake_cuda_loop(Baked& baked) {
        const bool linear =
            baked.rank <= 1 && std::all_of(arrays_.begin(), arrays_.end(), [&](std::size_t k) {
                return baked.operands[k].inner != StrideClass::strided;
            });
        if (linear) {
            baked.loop = LoopKind::linear;
            baked.rank = 1;
            const VectorWidth width =
                choose_vector_width(request_, arrays_, walk_, baked.by_reference);
            baked.vector = width.vector;
            baked.unroll = width.unroll;
            width_reason_ = width.reason;
            return;
        }
        baked.loop = LoopKind::strided;
        baked.width = loop_width();
        baked.unroll = baked.by_reference ? 1 : clone_limit(facts_.token_count, 4);
    }

    Runtime make_runtime(const Baked& baked) const {
        Runtime runtime;
        runtime.count = extent_product(request_.loop);
        if (runtime.count == 0) return runtime;
        if (is_cuda()) {
            runtime.threads = request_.block_size.value_or(default_threads);
            const std::int64_t tile = std::int64_t{runtime.threads} * baked.vector * baked.unroll;
            runtime.grid = (runtime.count - 1) / tile + 1;
            if (runtime.grid > most_blocks) {
                throw ShapeError(
                    fmt::format("kernel '{}': {} elements need {} blocks of {} threads, at most {} "
                                "can be launched",
                                request_.signature.name,
                                runtime.count,
                                runtime.grid,
                                runtime.threads,
                                most_blocks));
            }
        }
        fill_block(baked, runtime);
        return runtime;
    }

    void fill_block(const Baked& baked, Runtime& runtime) const {
        const BlockLayout layout = lay_out_block(baked, request_.types.dtypes);
        if (layout.size_bytes > largest_block_bytes) {
            throw ShapeError(fmt::format(
                "kernel '{}': the parameters of this call take {} bytes, at most {} can be passed",
                request_.signature.name,
                layout.size_bytes,
                largest_block_bytes));
        }
        runtime.block.assign(layout.size_bytes, std::byte{0});
        for (const BlockField& field : layout.fields) {
            fill_field(baked, field, runtime.block.data() + field.offset);
        }
    }

    template <typename T>
    static void put(std::byte*& at, T value) {
        std::memcpy(at, &value, sizeof value);
        at += sizeof value;
    }

    void fill_field(const Baked& baked, const BlockField& field, std::byte* at) const {
        const auto k = static_cast<std::size_t>(std::max(field.operand, 0));
        const bool narrow = baked.loop == LoopKind::strided && baked.width == IndexWidth::bits32;
        switch (field.kind) {
            case FieldKind::count:
                put(at, extent_product(request_.loop));
                break;
            case FieldKind::data:
                put(at, operands_[k].address + static_cast<std::uintptr_t>(walk_.offsets[k]));
                break;
            case FieldKind::extents:
                for (int axis = 0; axis < baked.rank; ++axis) {
                    const std::int64_t extent =
                        axis < walk_.extents.rank() ? walk_.extents[axis] : 1;
                    if (narrow) {
                        put(at, make_divisor(static_cast<std::uint32_t>(extent)));
                    } else {
                        put(at, extent);
                    }
                }
                break;
            case FieldKind::strides:
                for (int axis = 0; axis < baked.rank; ++axis) {
                    const std::int64_t stride =
                        axis < walk_.extents.rank() ? walk_.strides[k][axis] : 0;
                    if (narrow) {
                        put(at, static_cast<std::int32_t>(stride));
                    } else {
                        put(at, stride);
                    }
                }
                break;
            case FieldKind::shape:
                for (const std::int64_t extent : request_.loop) put(at, extent);
                break;
            case FieldKind::view:
                fill_view(k, at);
                break;
            case FieldKind::scalar:
                std::memcpy(at, operands_[k].scalar.data(), item_size(operands_[k].dtype));
                break;
        }
    }

    void fill_view(std::size_t k, std::byte* at) const {
        const Dims shape = view_shape(k);
        const Dims strides = view_strides(k);
        put(at, operands_[k].address);
        put(at, extent_product(shape));
        for (int axis = 0; axis < std::max(shape.rank(), 1); ++axis)
            put(at, axis < shape.rank() ? shape[axis] : 1);
        for (int axis = 0; axis < std::max(shape.rank(), 1); ++axis) {
            put(at, axis < shape.rank() ? strides[axis] : std::int64_t{0});
        }
    }

    const PlanRequest& request_;
    const BodyFacts& facts_;
    std::span<const Operand> operands_;
    std::vector<std::size_t> arrays_;
    Walk walk_;
    WidthReason width_reason_ = WidthReason::widest_dtype;
};

}  // namespace

Plan make_plan(const PlanRequest& request) {
    return Planner(request).run();
}

}  // namespace kgen
