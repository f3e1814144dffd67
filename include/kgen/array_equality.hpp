// SPDX-License-Identifier: MIT
//
// Whether two arrays hold the same numbers, as NumPy's functions of these names: for tests. The arrays may
// be on any devices and of any dtypes; they are copied to the host and compared there, after the current
// streams of their devices are done. Throw ShapeError for an array that holds nothing, DeviceError while
// such a stream is being captured.
#pragma once

#include <kgen/array.hpp>
#include <kgen/export.hpp>

namespace kgen {

struct EqualOptions {
    bool equal_nan = false;  // whether NaN equals NaN; of complex numbers if a part of each is NaN
};
// Same shape and equal elements, compared as the dtype that both promote to; integers by their values.
KGEN_EXPORT bool array_equal(const Array& a, const Array& b, const EqualOptions& = {});

struct CloseOptions {
    double rtol = 1e-5;
    double atol = 1e-8;
    bool equal_nan = false;
};
// Whether |a - b| <= atol + rtol * |b|, or a == b, for all elements, computed in float64 or complex128;
// an infinite b is close to itself alone. The shapes broadcast; ShapeError if they do not.
KGEN_EXPORT bool allclose(const Array& a, const Array& b, const CloseOptions& = {});

}  // namespace kgen
