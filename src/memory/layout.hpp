// SPDX-License-Identifier: MIT
//
// Sizes, strides and spans of arrays, with every overflow checked. All functions are pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kgen/array.hpp>
#include <kgen/dims.hpp>

namespace kgen {

// The product of the extents. Throws ShapeError if one is negative or the product does not fit; an
// extent of 0 makes it 0 whatever the others are.
std::int64_t element_count(const Dims& shape);
// The same times the item size: what a contiguous array of this shape occupies.
std::int64_t checked_size_bytes(const Dims& shape, DType dtype);

// Strides in bytes of a contiguous array, as NumPy sets them, in Order::c or Order::f. The shape must be
// checked already.
Dims contiguous_strides(const Dims& shape, DType dtype, Order order = Order::c);
// Strides in bytes of a dense array whose axes lie in memory in the order of `axes`, outermost
// first: {0, 1, 2} is C order, {2, 1, 0} Fortran order.
Dims dense_strides(const Dims& shape, DType dtype, const Dims& axes);

// Strides of a dense array whose axes lie in memory in the order of the given strides (NumPy's
// K order; C order if a stride is 0).
Dims k_order_strides(const Dims& shape, const Dims& strides, DType dtype);

// Strides of a new array like `array`, of a dtype of its own, in any order.
Dims ordered_strides(const Array& array, DType dtype, Order order);

// As NumPy's flags, for Order::c or Order::f: axes of extent 1 do not count, and an array without
// elements is contiguous.
bool is_contiguous(const Dims& shape, const Dims& strides, std::size_t item_bytes, Order order);

// True if the elements fill one block without gaps or overlap, with positive strides in any order.
bool is_dense(const Dims& shape, const Dims& strides, DType dtype);

// The bytes that a view can reach, relative to its first element: [low, high); low is 0 or
// negative. {0, 0} without elements. Throws ShapeError if a bound does not fit in 64 bits.
struct ByteSpan {
    std::int64_t low = 0;
    std::int64_t high = 0;
};
ByteSpan byte_span(const Dims& shape, const Dims& strides, DType dtype);

// A new array with these strides, which must be dense and positive (see dense_strides), allocated
// in the order of the stream, on its device.
Array allocate_array(const Dims& shape, const Dims& strides, DType dtype, const Stream& stream);

// Throws ShapeError if the array was default-constructed. `operation` is what was asked of it.
void require_value(const Array& array, const char* operation);

}  // namespace kgen
