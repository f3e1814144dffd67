// SPDX-License-Identifier: MIT
#include "dtype/strides.hpp"

#include <algorithm>
#include <numeric>

namespace kgen {

namespace {

bool is_empty(std::span<const std::int64_t> shape) noexcept {
    return std::find(shape.begin(), shape.end(), 0) != shape.end();
}

}  // namespace

std::int64_t extent_product(std::span<const std::int64_t> extents) noexcept {
    std::uint64_t product = 1;  // may wrap before it is multiplied by an extent of 0
    for (const std::int64_t extent : extents) product *= static_cast<std::uint64_t>(extent);
    return static_cast<std::int64_t>(product);
}

Dims c_strides(const Dims& shape, std::size_t item_bytes) noexcept {
    Dims axes = Dims::filled(shape.rank(), 0);
    std::iota(axes.begin(), axes.end(), 0);
    return packed_strides(shape, item_bytes, axes);
}

bool is_c_contiguous(const Dims& shape, const Dims& strides, std::size_t item_bytes) noexcept {
    if (is_empty(shape)) return true;
    auto expected = static_cast<std::int64_t>(item_bytes);
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
        if (shape[axis] != 1 && strides[axis] != expected) return false;
        expected = next_stride(expected, shape[axis]);
    }
    return true;
}

std::optional<ByteSpan> find_byte_span(const Dims& shape,
                                       const Dims& strides,
                                       std::size_t item_bytes) noexcept {
    ByteSpan span{0, static_cast<std::int64_t>(item_bytes)};
    bool overflows = false;
    for (int axis = 0; axis < shape.rank(); ++axis) {
        if (shape[axis] == 0) return ByteSpan();
        std::int64_t reach = 0;
        std::int64_t& bound = strides[axis] < 0 ? span.low : span.high;
        overflows |= __builtin_mul_overflow(shape[axis] - 1, strides[axis], &reach);
        overflows |= __builtin_add_overflow(bound, reach, &bound);
    }
    std::int64_t length = 0;
    overflows |= __builtin_sub_overflow(span.high, span.low, &length);
    if (overflows) return std::nullopt;
    return span;
}

}  // namespace kgen
