// SPDX-License-Identifier: MIT
//
// Several arrays made one, as NumPy's functions of these names: a new array on the device of the given
// ones, in Fortran order if all of them are (and not all in C order), else in C order; written on the
// device's current stream. The dtype is the one that all promote to (promote_types). All throw
// ShapeError for an empty list, an axis that does not exist, and shapes that do not fit each other,
// DeviceError for arrays of several devices.
#pragma once

#include <initializer_list>
#include <kgen/array.hpp>
#include <kgen/export.hpp>
#include <span>

namespace kgen {

// One after the other along an axis that they have; the other extents must agree.
KGEN_EXPORT Array concatenate(std::span<const Array> arrays, int axis = 0);
inline Array concatenate(std::initializer_list<Array> arrays, int axis = 0) {
    return concatenate(std::span<const Array>(arrays.begin(), arrays.size()), axis);
}

// Side by side along a new axis, `axis` in the result; the shapes must be equal.
KGEN_EXPORT Array stack(std::span<const Array> arrays, int axis = 0);
inline Array stack(std::initializer_list<Array> arrays, int axis = 0) {
    return stack(std::span<const Array>(arrays.begin(), arrays.size()), axis);
}

}  // namespace kgen
