// SPDX-License-Identifier: MIT
//
// The arithmetic of shapes and strides in bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <kgen/dims.hpp>
#include <optional>
#include <span>

namespace kgen {

// Returns the number of elements: 1 for rank 0, and 0 if any extent is 0. Otherwise the product must not
// overflow.
std::int64_t extent_product(std::span<const std::int64_t> extents) noexcept;

// Returns the C-order stride of the axis outside one with that stride and extent. If the product overflows,
// returns `stride`: this happens only for an array without elements, whose strides are never used.
inline std::int64_t next_stride(std::int64_t stride, std::int64_t extent) noexcept {
    std::int64_t next = 0;
    return __builtin_mul_overflow(stride, extent, &next) ? stride : next;
}

// Returns the strides of an array without gaps. `axes` lists the axes in memory order, outermost first:
// {0, 1, 2} is C order, {2, 1, 0} is Fortran order.
template <typename Axes>
Dims packed_strides(const Dims& shape, std::size_t item_bytes, const Axes& axes) {
    Dims strides = Dims::filled(shape.rank(), 0);
    auto stride = static_cast<std::int64_t>(item_bytes);
    for (auto axis = std::ranges::rbegin(axes); axis != std::ranges::rend(axes); ++axis) {
        strides[*axis] = stride;
        if (shape[*axis] > 1) stride = next_stride(stride, shape[*axis]);
    }
    return strides;
}

// C order. The Fortran-order functions are these with reversed dims.
Dims c_strides(const Dims& shape, std::size_t item_bytes) noexcept;

inline Dims reversed(Dims dims) noexcept {
    std::reverse(dims.begin(), dims.end());
    return dims;
}

// Follows NumPy's rules: axes of extent 1 do not count, and an array without elements is contiguous.
bool is_c_contiguous(const Dims& shape, const Dims& strides, std::size_t item_bytes) noexcept;

// The range of bytes [low, high) that a view can reach, relative to its first element; low is 0 or negative.
// {0, 0} for a view without elements.
struct ByteSpan {
    std::int64_t low = 0;
    std::int64_t high = 0;
};

// Returns nothing if the range does not fit in 64 bits.
std::optional<ByteSpan> find_byte_span(const Dims& shape,
                                       const Dims& strides,
                                       std::size_t item_bytes) noexcept;

}  // namespace kgen
