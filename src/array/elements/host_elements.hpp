// SPDX-License-Identifier: MIT
//
// Element work on arrays in host memory, in plain C++: no compiler is needed at run time for it.
#pragma once

#include <kgen/array.hpp>

namespace kgen {

// Writes each element of `source`, converted, to `destination`: same shape, no overlap. Any strides,
// also 0 in the source.
void assign_on_host(const Array& destination, const Array& source);
// Writes the item, of the array's dtype, to all elements.
void fill_on_host(const Array& destination, const void* item);

}  // namespace kgen
