// SPDX-License-Identifier: MIT
//
// More functions that return views of an Array, named as in NumPy. A view shares the array's memory and is
// writable if the array is. Negative axes count from the end. The functions throw ShapeError if an axis does
// not exist or is given twice, or if the array has no memory (was default-constructed).
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <kgen/array.hpp>
#include <kgen/dims.hpp>
#include <kgen/export.hpp>

namespace kgen {

// A list of axes: 1, {0, -1}, or {} for none.
class Axes {
public:
    Axes(std::integral auto axis) : list_{static_cast<std::int64_t>(axis)} {}  // NOLINT
    Axes(std::initializer_list<std::int64_t> axes) : list_(axes) {}
    Axes(const Dims& axes) : list_(axes) {}  // NOLINT

    const Dims& list() const noexcept { return list_; }

private:
    Dims list_;
};

// Removes all axes of extent 1, or only the given axes. Throws ShapeError if a given axis has another extent.
KGEN_EXPORT Array squeeze(const Array& array);
KGEN_EXPORT Array squeeze(const Array& array, const Axes& axes);

// Adds axes of extent 1. `axes` are their positions in the result.
KGEN_EXPORT Array expand_dims(const Array& array, const Axes& axes);

// Moves axis from[k] to position to[k]. The other axes keep their order.
KGEN_EXPORT Array moveaxis(const Array& array, const Axes& from, const Axes& to);
KGEN_EXPORT Array swapaxes(const Array& array, int first, int second);

// Reverses the elements along all axes or along the given axes, with negative strides.
KGEN_EXPORT Array flip(const Array& array);
KGEN_EXPORT Array flip(const Array& array, const Axes& axes);

// Return all elements along one axis in C order. ravel() copies only if no view can have that shape (see
// Array::reshape); flatten() always copies. Copies run on the current stream.
KGEN_EXPORT Array ravel(const Array& array);
KGEN_EXPORT Array flatten(const Array& array);

}  // namespace kgen
