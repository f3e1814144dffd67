// SPDX-License-Identifier: MIT
#include "plan/fill_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <kgen/error.hpp>
#include <limits>

#include "plan/broadcast.hpp"

namespace kgen {

namespace {

class LoopFiller {
public:
    LoopFiller(const LoopContext& context, const Baked& baked, const Geometry& geometry)
        : context_(context), baked_(baked), geometry_(geometry) {}

    void fill(const BlockField& field, std::byte* at) const {
        const auto k = static_cast<std::size_t>(std::max(field.operand, 0));
        switch (field.kind) {
            case FieldKind::count:
                put(at, extent_product(context_.request.loop));
                break;
            case FieldKind::work:
                put(at, geometry_.work);
                break;
            case FieldKind::shift:
                put(at, geometry_.shift);
                break;
            case FieldKind::data:
                put(at, context_.begin(k));
                break;
            case FieldKind::extents:
                fill_extents(at);
                break;
            case FieldKind::rows:
                put(at, geometry_.rows);
                break;
            case FieldKind::tile:
                put(at, geometry_.tile);
                break;
            case FieldKind::strides:
                fill_strides(k, at);
                break;
            case FieldKind::index_strides:
                fill_index_strides(at);
                break;
            case FieldKind::shape:
                for (const std::int64_t extent : context_.request.loop) put(at, extent);
                break;
            case FieldKind::view:
                fill_view(context_.request, k, at);
                break;
            case FieldKind::scalar: {
                const Operand& operand = context_.operand(k);
                std::memcpy(at, operand.scalar.data(), item_size(operand.dtype));
                break;
            }
            default:
                break;  // fields of reductions, see ReductionFiller
        }
    }

private:
    template <typename T>
    static void put(std::byte*& at, T value) {
        std::memcpy(at, &value, sizeof value);
        at += sizeof value;
    }

    bool on_cuda() const { return baked_.device == DeviceKind::cuda; }

    // Returns `otherwise` for axes that the walk lacks. A loop has at least one axis, a walk of one element
    // none.
    std::int64_t of_axis(const Dims& dims, int axis, std::int64_t otherwise) const {
        return axis < dims.rank() ? dims[axis] : otherwise;
    }

    void fill_extents(std::byte* at) const {
        for (int axis = 0; axis < baked_.rank; ++axis) {
            at = put_extent(baked_, of_axis(geometry_.counts, axis, 1), at);
        }
    }

    void fill_strides(std::size_t k, std::byte* at) const {
        for (int axis = 0; axis < baked_.rank; ++axis) {
            const std::int64_t stride = of_axis(context_.walk.strides[k], axis, 0);
            if (on_cuda() && baked_.width == IndexWidth::bits32) {
                put(at, static_cast<std::int32_t>(stride));
            } else {
                put(at, stride);
            }
        }
    }

    void fill_index_strides(std::byte* at) const {
        for (int axis = 0; axis < baked_.rank; ++axis) {
            put(at, of_axis(context_.index_strides, axis, 0));
        }
    }

    const LoopContext& context_;
    const Baked& baked_;
    const Geometry& geometry_;
};

}  // namespace

std::byte* put_extent(const Baked& baked, std::int64_t extent, std::byte* at) {
    const auto put = [&](auto value) {
        std::memcpy(at, &value, sizeof value);
        return at + sizeof value;
    };
    if (baked.device == DeviceKind::host) return put(extent);
    const bool is_narrow = baked.index_width == IndexWidth::bits32;
    const bool is_too_long = is_narrow && extent > std::numeric_limits<std::int32_t>::max();
    const std::int64_t divided = extent < 1 || is_too_long ? 1 : extent;
    return is_narrow ? put(make_divisor32(static_cast<std::uint32_t>(divided)))
                     : put(make_divisor64(static_cast<std::uint64_t>(divided)));
}

Dims view_shape(const PlanRequest& request, std::size_t k) {
    const Operand& operand = request.operands[k];
    return operand.kind == OperandKind::raw ? operand.shape : request.loop;
}

Dims view_strides(const PlanRequest& request, std::size_t k) {
    const Operand& operand = request.operands[k];
    return operand.kind == OperandKind::raw
               ? operand.strides
               : broadcast_strides(operand.shape, operand.strides, request.loop);
}

void fill_view(const PlanRequest& request, std::size_t k, std::byte* at) {
    const Dims shape = view_shape(request, k);
    const Dims strides = view_strides(request, k);
    const auto put = [&](auto value) {
        std::memcpy(at, &value, sizeof value);
        at += sizeof value;
    };
    put(request.operands[k].address);
    put(extent_product(shape));
    for (int axis = 0; axis < std::max(shape.rank(), 1); ++axis)
        put(axis < shape.rank() ? shape[axis] : 1);
    for (int axis = 0; axis < std::max(shape.rank(), 1); ++axis)
        put(axis < shape.rank() ? strides[axis] : 0);
}

std::vector<std::byte> make_block(const PlanRequest& request, const BlockLayout& layout) {
    if (layout.size_bytes > largest_block_bytes) {
        throw ShapeError(fmt::format(
            "kernel '{}': the parameters of this call take {} bytes, at most {} can be passed",
            request.signature.name,
            layout.size_bytes,
            largest_block_bytes));
    }
    return std::vector<std::byte>(layout.size_bytes, std::byte{0});
}

std::vector<std::byte> fill_block(const LoopContext& context,
                                  const Baked& baked,
                                  const Geometry& geometry) {
    const BlockLayout layout = lay_out_block(baked, context.request.types.dtypes);
    std::vector<std::byte> block = make_block(context.request, layout);
    const LoopFiller filler(context, baked, geometry);
    for (const BlockField& field : layout.fields) filler.fill(field, block.data() + field.offset);
    return block;
}

}  // namespace kgen
