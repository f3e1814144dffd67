// SPDX-License-Identifier: MIT
//
// Comparisons of two arrays, named as in NumPy and meant for tests. The arrays may be on any devices and
// have any dtypes. They are copied to the host and compared there, after the current streams of their devices
// have finished. The functions throw ShapeError if an array has no memory (was default-constructed), and
// DeviceError while one of these streams is being captured.
#pragma once

#include <kgen/array.hpp>
#include <kgen/export.hpp>

namespace kgen {

struct EqualOptions {
    bool equal_nan = false;  // true: NaN equals NaN; a complex number is NaN if a part of it is
};
// Returns true if the shapes are equal and all elements are equal. Elements are compared in the dtype that
// both arrays promote to (promote_types), integers always by their exact values.
KGEN_EXPORT bool array_equal(const Array& a, const Array& b, const EqualOptions& = {});

struct CloseOptions {
    double rtol = 1e-5;
    double atol = 1e-8;
    bool equal_nan = false;
};
// Returns true if |a - b| <= atol + rtol * |b| or a == b for all elements, computed in float64 or complex128.
// An infinite b is close only to itself. Throws ShapeError if the shapes do not broadcast.
KGEN_EXPORT bool allclose(const Array& a, const Array& b, const CloseOptions& = {});

}  // namespace kgen
