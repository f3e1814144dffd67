// SPDX-License-Identifier: MIT
#include "memory/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "memory/array_access.hpp"

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
            throw ShapeError(fmt::format("shape {}: the extent of axis {} is negative: {}",
                                         to_text(shape),
                                         axis,
                                         shape[axis]));
        }
    }
    const auto count = product(shape);
    if (!count) {
        throw ShapeError(
            fmt::format("shape {} has more elements than fit in 64 bits", to_text(shape)));
    }
    return *count;
}

std::int64_t checked_size_bytes(const Dims& shape, DType dtype) {
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(
            element_count(shape), static_cast<std::int64_t>(item_size(dtype)), &bytes)) {
        throw ShapeError(fmt::format(
            "shape {} of {} has more bytes than fit in 64 bits", to_text(shape), to_text(dtype)));
    }
    return bytes;
}

Dims dense_strides(const Dims& shape, DType dtype, const Dims& axes) {
    Dims strides = Dims::filled(shape.rank(), 0);
    auto stride = static_cast<std::int64_t>(item_size(dtype));
    for (int k = shape.rank() - 1; k >= 0; --k) {
        strides[axes[k]] = stride;
        // The product can overflow only if another extent is 0. The array is then empty, and its strides are
        // never used.
        std::int64_t next = 0;
        const std::int64_t extent = std::max<std::int64_t>(shape[axes[k]], 1);
        if (!__builtin_mul_overflow(stride, extent, &next)) stride = next;
    }
    return strides;
}

Dims contiguous_strides(const Dims& shape, DType dtype, Order order) {
    Dims axes = Dims::filled(shape.rank(), 0);
    std::iota(axes.begin(), axes.end(), 0);
    if (order == Order::f) std::reverse(axes.begin(), axes.end());
    return dense_strides(shape, dtype, axes);
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
    return dense_strides(shape, dtype, axes);
}

Dims ordered_strides(const Array& array, DType dtype, Order order) {
    if (order == Order::k) return k_order_strides(array.shape(), array.strides(), dtype);
    if (order == Order::a) {
        const bool is_f = array.is_contiguous(Order::f) && !array.is_contiguous(Order::c);
        order = is_f ? Order::f : Order::c;
    }
    return contiguous_strides(array.shape(), dtype, order);
}

bool is_contiguous(const Dims& shape, const Dims& strides, std::size_t item_bytes, Order order) {
    if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return true;
    auto expected = static_cast<std::int64_t>(item_bytes);
    for (int k = 0; k < shape.rank(); ++k) {
        const int axis = order == Order::f ? k : shape.rank() - 1 - k;
        if (shape[axis] == 1) continue;
        if (strides[axis] != expected) return false;
        expected *= shape[axis];
    }
    return true;
}

bool is_dense(const Dims& shape, const Dims& strides, DType dtype) {
    if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return true;
    std::array<int, max_rank> axes{};
    int count = 0;
    for (int axis = 0; axis < shape.rank(); ++axis) {
        if (shape[axis] > 1) axes[static_cast<std::size_t>(count++)] = axis;
    }
    std::sort(
        axes.begin(), axes.begin() + count, [&](int a, int b) { return strides[a] < strides[b]; });
    auto expected = static_cast<std::int64_t>(item_size(dtype));
    for (int k = 0; k < count; ++k) {
        const int axis = axes[static_cast<std::size_t>(k)];
        if (strides[axis] != expected) return false;
        expected *= shape[axis];
    }
    return true;
}

ByteSpan byte_span(const Dims& shape, const Dims& strides, DType dtype) {
    if (element_count(shape) == 0) return {};
    ByteSpan span{0, static_cast<std::int64_t>(item_size(dtype))};
    for (int axis = 0; axis < shape.rank(); ++axis) {
        std::int64_t reach = 0;
        std::int64_t& bound = strides[axis] < 0 ? span.low : span.high;
        if (__builtin_mul_overflow(shape[axis] - 1, strides[axis], &reach) ||
            __builtin_add_overflow(bound, reach, &bound)) {
            throw ShapeError(
                fmt::format("shape {} with strides {} reaches more bytes than fit in 64 bits",
                            to_text(shape),
                            to_text(strides)));
        }
    }
    std::int64_t length = 0;
    if (__builtin_sub_overflow(span.high, span.low, &length)) {
        throw ShapeError(
            fmt::format("shape {} with strides {} reaches more bytes than fit in 64 bits",
                        to_text(shape),
                        to_text(strides)));
    }
    return span;
}

Array allocate_array(const Dims& shape, const Dims& strides, DType dtype, const Stream& stream) {
    const auto bytes = static_cast<std::size_t>(checked_size_bytes(shape, dtype));
    auto storage = Storage::allocate(bytes, stream);
    void* data = storage->data();
    return ArrayAccess::make(std::move(storage), dtype, shape, strides, data);
}

}  // namespace kgen
