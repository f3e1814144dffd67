// SPDX-License-Identifier: MIT
//
// Writes one number to all elements of an array, on any device.
#pragma once

#include <array>
#include <cstddef>
#include <kgen/array.hpp>
#include <kgen/scalar.hpp>

namespace kgen {

using Item = std::array<std::byte, 16>;  // one element of any dtype

// Converts the number to an element. Throws TypeError if it does not fit. `operation` names the operation in
// messages.
Item item_of(const Scalar& value, DType dtype, const char* operation);

// Writes in the order of the current stream. The array may have any strides.
void fill_elements(const Array& array, const Item& item);

// The array must be dense.
void fill_with_zeros(const Array& array);

}  // namespace kgen
