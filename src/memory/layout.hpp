// SPDX-License-Identifier: MIT
//
// Sizes, strides and byte spans of arrays, with every overflow checked. All functions except allocate_array
// are pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kgen/array.hpp>
#include <kgen/dims.hpp>

#include "dtype/strides.hpp"

namespace kgen {

// Returns the product of the extents; 0 if any extent is 0. Throws ShapeError if an extent is negative or the
// product does not fit in 64 bits.
std::int64_t element_count(const Dims& shape);
// Returns the size of a contiguous array of this shape in bytes. Throws ShapeError like element_count.
std::int64_t checked_size_bytes(const Dims& shape, DType dtype);

// Returns the strides in bytes of a contiguous array, as NumPy sets them. `order` is Order::c or Order::f.
// The shape must have been checked by element_count.
Dims contiguous_strides(const Dims& shape, DType dtype, Order order = Order::c);

// Returns the strides in bytes of a dense array whose axes are in the memory order of the given strides. This
// is NumPy's K order. If an axis is broadcast (stride 0, extent above 1), the result is in C order.
Dims k_order_strides(const Dims& shape, const Dims& strides, DType dtype);

// Returns the strides in bytes of a new array with the shape of `array`, another dtype and any Order.
Dims ordered_strides(const Array& array, DType dtype, Order order);

// Returns true if the elements fill one range of memory without gaps or overlap, with positive strides in any
// order.
bool is_dense(const Dims& shape, const Dims& strides, DType dtype);

// See find_byte_span. Throws ShapeError if the span does not fit in 64 bits.
ByteSpan byte_span(const Dims& shape, const Dims& strides, DType dtype);

// Allocates an array with these strides on the device of the stream, in the order of the stream. The strides
// must be dense and positive (see is_dense).
Array allocate_array(const Dims& shape, const Dims& strides, DType dtype, const Stream& stream);

// Throws ShapeError if the array was default-constructed. The message names `operation`.
void require_value(const Array& array, const char* operation);

}  // namespace kgen
