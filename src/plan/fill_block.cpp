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

// Appends values to the bytes of the block.
class Filler {
public:
    Filler(const PlanContext& context, const Baked& baked, const Geometry& geometry)
        : context_(context),
          baked_(baked),
          geometry_(geometry),
          has_divisors_(device_loops(baked.device).has_divisors) {}

    void fill(const BlockField& field, std::byte* at) {
        at_ = at;
        const PlanRequest& request = context_.request;
        const Walk& walk = context_.walk;
        const auto k = static_cast<std::size_t>(std::max(field.operand, 0));
        switch (field.kind) {
            case FieldKind::first_block:
                return put(std::uint32_t{0});  // join_parts() writes the number
            case FieldKind::count:
                return put(context_.output_count());
            case FieldKind::reduced_count:
                return put(context_.folded_count());
            case FieldKind::shift:
                return put(geometry_.shift);
            case FieldKind::whole_counts:
                return put_whole_counts();
            case FieldKind::data:
                return put(context_.begin(k));
            case FieldKind::view:
                return put_view(k);
            case FieldKind::shape:
            case FieldKind::output_shape:
                for (int axis = 0; axis < request.loop.rank(); ++axis) {
                    if (field.kind == FieldKind::shape || !contains(request.reduced_axes, axis))
                        put_extent(whole_loop(request)[axis], shape_width(baked_));
                }
                return;
            case FieldKind::own:
                return std::visit([&](const auto& own) { put(own); }, geometry_.own);
            case FieldKind::place_strides:
                for_axes(walk.index_strides[k], 0, [&](std::int64_t stride) { put(stride); });
                return put(walk.index_begins[k]);
            case FieldKind::extents:
                return for_axes(geometry_.counts, 1, [&](std::int64_t extent) {
                    put_extent(extent, baked_.index_width);
                });
            case FieldKind::reach:
                put(context_.span(k).begin - context_.begin(k));
                return put(context_.span(k).end - context_.begin(k));
            case FieldKind::strides:
                return for_axes(
                    walk.strides[k], 0, [&](std::int64_t stride) { put_stride(stride); });
            case FieldKind::scalar: {
                const Operand& operand = context_.operand(k);
                std::memcpy(at_, operand.scalar.data(), item_size(operand.dtype));
                return;
            }
            case FieldKind::scratch:
                return;  // the launch fills it in
        }
    }

private:
    template <typename T>
    void put(const T& value) {
        std::memcpy(at_, &value, sizeof value);
        at_ += sizeof value;
    }
    void put_all(const Dims& values) {
        for (const std::int64_t value : values) put(value);
    }

    void put_whole_counts() {
        const Dims& whole = whole_loop(context_.request);
        std::int64_t counts[] = {1, 1};
        for (int axis = 0; axis < whole.rank(); ++axis) {
            std::int64_t& count = counts[contains(context_.request.reduced_axes, axis) ? 1 : 0];
            count = next_stride(count, whole[axis]);
        }
        put(counts);
    }

    // Calls put_one with a number for each axis of the loop, and with `otherwise` for axes that the walk lacks. The two
    // differ because an elementwise loop has at least one axis, but a walk of one element has none.
    template <typename Put>
    void for_axes(std::span<const std::int64_t> numbers, std::int64_t otherwise, Put put_one) {
        for (std::size_t axis = 0; axis < static_cast<std::size_t>(baked_.rank); ++axis)
            put_one(axis < numbers.size() ? numbers[axis] : otherwise);
    }

    // Writes the extent or its divisor. If an axis is empty or too long for its divisor, no index is ever
    // divided by it, and it gets the divisor of extent 1.
    void put_extent(std::int64_t extent, IndexWidth width) {
        if (!has_divisors_) return put(extent);
        const bool is_narrow = width == IndexWidth::bits32;
        const bool is_too_long = is_narrow && extent > std::numeric_limits<std::int32_t>::max();
        const std::int64_t divided = extent < 1 || is_too_long ? 1 : extent;
        if (is_narrow) return put(make_divisor32(divided));
        put(make_divisor64(static_cast<std::uint64_t>(divided)));
    }

    void put_stride(std::int64_t stride) {
        if (has_divisors_ && baked_.width == IndexWidth::bits32)
            put(static_cast<std::int32_t>(stride));
        else
            put(stride);
    }

    void put_view(std::size_t k) {
        const Dims shape = view_shape(context_.request, k);
        const Dims strides = view_strides(context_.request, k);
        put(context_.operand(k).address);
        put(extent_product(shape));
        put_all(shape.empty() ? Dims{1} : shape);
        put_all(shape.empty() ? Dims{0} : strides);
    }

    const PlanContext& context_;
    const Baked& baked_;
    const Geometry& geometry_;
    bool has_divisors_;
    std::byte* at_ = nullptr;
};

// Writes the blocks of the parts into the block of their call.
// Returns the number of bytes up to the end of the last one.
std::size_t join_parts(std::span<const PlannedPart> parts,
                       const BlockLayout& layout,
                       Block& block) {
    std::uint32_t first_block = 0;
    std::size_t end = 0;
    const PlannedPart* part = parts.data();
    for (const BlockField& field : layout.fields) {
        if (field.kind != FieldKind::first_block) continue;
        const Runtime& runtime = part++->plan.runtime;
        std::byte* const at = block.data() + field.offset;
        std::ranges::copy(runtime.block, at);
        std::memcpy(at, &first_block, sizeof first_block);
        first_block += static_cast<std::uint32_t>(runtime.grid);
        end = field.offset + runtime.block.size();
    }
    return end;
}

}  // namespace

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

void fill_block(const PlanContext& context,
                const Baked& baked,
                const Geometry& geometry,
                Block& block) {
    const BlockLayout layout = lay_out_block(baked, context.request.types.dtypes);
    if (layout.size_bytes > largest_block_bytes) {
        throw ShapeError(fmt::format(
            "kernel '{}': the parameters of this call take {} bytes, at most {} can be passed",
            context.request.signature.name,
            layout.size_bytes,
            largest_block_bytes));
    }
    block.resize(layout.size_bytes);
    const std::size_t own = baked.parts.empty() ? 0 : join_parts(context.parts, layout, block);
    Filler filler(context, baked, geometry);
    for (const BlockField& field : layout.fields)
        if (field.offset >= own) filler.fill(field, block.data() + field.offset);
}

}  // namespace kgen
