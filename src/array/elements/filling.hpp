// SPDX-License-Identifier: MIT
//
// One number written to all elements of an array, on any device.
#pragma once

#include <array>
#include <cstddef>
#include <kgen/array.hpp>
#include <kgen/scalar.hpp>

namespace kgen {

using Item = std::array<std::byte, 16>;  // one element of any dtype

// The number as an element. Throws TypeError if it does not fit; `operation` is what was asked for.
Item item_of(const Scalar& value, DType dtype, const char* operation);

// The array may have any strides; it is written in the order of the current stream.
void fill_elements(const Array& array, const Item& item);

// Of an array that lies dense in memory.
void fill_with_zeros(const Array& array);

}  // namespace kgen
