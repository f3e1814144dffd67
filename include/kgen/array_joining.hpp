// SPDX-License-Identifier: MIT
//
// Functions that join several arrays into a new one, named as in NumPy. The result is on the device of the
// arrays and is written on its current stream. Its dtype is the one that all arrays promote to
// (promote_types). Its memory order is Fortran order if all arrays are in Fortran order and at least one is
// not also in C order; otherwise it is C order. The functions throw ShapeError if the list is empty, the axis
// does not exist, or the shapes do not match, and DeviceError if the arrays are on different devices.
#pragma once

#include <initializer_list>
#include <kgen/array.hpp>
#include <kgen/export.hpp>
#include <span>

namespace kgen {

// Joins the arrays along an existing axis. The extents of all other axes must be equal.
KGEN_EXPORT Array concatenate(std::span<const Array> arrays, int axis = 0);
inline Array concatenate(std::initializer_list<Array> arrays, int axis = 0) {
    return concatenate(std::span<const Array>(arrays.begin(), arrays.size()), axis);
}

// Joins the arrays along a new axis, which is `axis` in the result. The shapes must be equal.
KGEN_EXPORT Array stack(std::span<const Array> arrays, int axis = 0);
inline Array stack(std::initializer_list<Array> arrays, int axis = 0) {
    return stack(std::span<const Array>(arrays.begin(), arrays.size()), axis);
}

}  // namespace kgen
