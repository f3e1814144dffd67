// SPDX-License-Identifier: MIT
#include "memory/layout.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "memory/array_access.hpp"
#include "text/error_parts.hpp"

namespace kgen {

namespace {

// Returns the product of the extents, or nothing if it overflows. No extent may be negative.
std::optional<std::int64_t> product(const Dims& shape) {
    if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) {
        if (__builtin_mul_overflow(count, extent, &count)) return std::nullopt;
    }
    return count;
}

// Returns |stride|, without overflow for the most negative number.
std::uint64_t magnitude(std::int64_t stride) {
    return stride < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(stride)
                      : static_cast<std::uint64_t>(stride);
}

}  // namespace

std::int64_t element_count(const Dims& shape) {
    for (int axis = 0; axis < shape.rank(); ++axis) {
        if (shape[axis] < 0) {
            refuse<ShapeError>({ErrorKind::shape, {}, "0 or more", std::to_string(shape[axis])},
                               "shape {}: the extent of axis {} is negative: {}",
                               to_text(shape),
                               axis,
                               shape[axis]);
        }
    }
    const auto count = product(shape);
    if (!count) {
        refuse<ShapeError>({ErrorKind::shape, {}, {}, to_text(shape)},
                           "shape {} has more elements than fit in 64 bits",
                           to_text(shape));
    }
    return *count;
}

std::int64_t checked_size_bytes(const Dims& shape, DType dtype) {
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(
            element_count(shape), static_cast<std::int64_t>(item_size(dtype)), &bytes)) {
        refuse<ShapeError>({ErrorKind::shape, {}, {}, to_text(shape)},
                           "shape {} of {} has more bytes than fit in 64 bits",
                           to_text(shape),
                           to_text(dtype));
    }
    return bytes;
}

Dims contiguous_strides(const Dims& shape, DType dtype, Order order) {
    if (order != Order::f) return c_strides(shape, item_size(dtype));
    return reversed(c_strides(reversed(shape), item_size(dtype)));
}

Dims k_order_strides(const Dims& shape, const Dims& strides, DType dtype) {
    Dims axes = Dims::filled(shape.rank(), 0);
    std::iota(axes.begin(), axes.end(), 0);
    bool has_broadcast_axis = false;
    for (int axis = 0; axis < shape.rank(); ++axis) {
        has_broadcast_axis |= strides[axis] == 0 && shape[axis] > 1;
    }
    if (!has_broadcast_axis) {
        std::stable_sort(axes.begin(), axes.end(), [&](std::int64_t a, std::int64_t b) {
            return magnitude(strides[a]) > magnitude(strides[b]);
        });
    }
    return packed_strides(shape, item_size(dtype), axes);
}

Dims ordered_strides(const Array& array, DType dtype, Order order) {
    if (order == Order::k) return k_order_strides(array.shape(), array.strides(), dtype);
    if (order == Order::a) {
        const bool is_f = array.is_contiguous(Order::f) && !array.is_contiguous(Order::c);
        order = is_f ? Order::f : Order::c;
    }
    return contiguous_strides(array.shape(), dtype, order);
}

bool is_dense(const Dims& shape, const Dims& strides, DType dtype) {
    Dims axes = Dims::filled(shape.rank(), 0);
    std::iota(axes.begin(), axes.end(), 0);
    std::sort(axes.begin(), axes.end(), [&](auto a, auto b) { return strides[a] > strides[b]; });
    Dims sorted_shape;
    Dims sorted_strides;
    for (const std::int64_t axis : axes) {
        sorted_shape.push_back(shape[axis]);
        sorted_strides.push_back(strides[axis]);
    }
    return is_c_contiguous(sorted_shape, sorted_strides, item_size(dtype));
}

ByteSpan byte_span(const Dims& shape, const Dims& strides, DType dtype) {
    element_count(shape);
    const auto span = find_byte_span(shape, strides, item_size(dtype));
    if (span) return *span;
    refuse<ShapeError>({ErrorKind::layout, {}, {}, to_text(strides)},
                       "shape {} with strides {} reaches more bytes than fit in 64 bits",
                       to_text(shape),
                       to_text(strides));
}

Array allocate_array(const Dims& shape, const Dims& strides, DType dtype, const Stream& stream) {
    const auto bytes = static_cast<std::size_t>(checked_size_bytes(shape, dtype));
    auto storage = Storage::allocate(bytes, stream);
    void* data = storage->data();
    return ArrayAccess::make(std::move(storage), dtype, shape, strides, data);
}

}  // namespace kgen
