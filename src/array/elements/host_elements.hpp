// SPDX-License-Identifier: MIT
//
// Works on elements in host memory in plain C++, so no compiler is needed at run time.
#pragma once

#include <kgen/array.hpp>

namespace kgen {

// Converts each element of `source` and writes it to `destination`. Both have the same shape and do not
// overlap. Strides are arbitrary, and may be 0 in the source.
void assign_on_host(const Array& destination, const Array& source);
// Writes the item, which has the array's dtype, to all elements.
void fill_on_host(const Array& destination, const void* item);

}  // namespace kgen
