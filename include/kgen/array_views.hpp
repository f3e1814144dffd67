// SPDX-License-Identifier: MIT
//
// More views of an Array, as NumPy's functions of these names: the same memory, as writable as before,
// no element copied. Axes count from the end where they are negative. All throw ShapeError for an axis
// that does not exist or is named twice, and for an array that holds nothing.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <kgen/array.hpp>
#include <kgen/dims.hpp>
#include <kgen/export.hpp>

namespace kgen {

// One axis or several: 1, {0, -1}. {} is none.
class Axes {
public:
    Axes(std::integral auto axis) : list_{static_cast<std::int64_t>(axis)} {}  // NOLINT
    Axes(std::initializer_list<std::int64_t> axes) : list_(axes) {}
    Axes(const Dims& axes) : list_(axes) {}  // NOLINT

    const Dims& list() const noexcept { return list_; }

private:
    Dims list_;
};

// Without all axes of extent 1, or without these, whose extent must be 1.
KGEN_EXPORT Array squeeze(const Array& array);
KGEN_EXPORT Array squeeze(const Array& array, const Axes& axes);

// With new axes of extent 1; `axes` says where they are in the result.
KGEN_EXPORT Array expand_dims(const Array& array, const Axes& axes);

// Puts axis from[k] at to[k]; the other axes keep their order.
KGEN_EXPORT Array moveaxis(const Array& array, const Axes& from, const Axes& to);
KGEN_EXPORT Array swapaxes(const Array& array, int first, int second);

// The elements in reverse along all axes, or along these, by negative strides.
KGEN_EXPORT Array flip(const Array& array);
KGEN_EXPORT Array flip(const Array& array, const Axes& axes);

// One axis of all elements in C order. ravel() copies only where no view can have that shape (as
// Array::reshape does), flatten() always; copies run on the current stream.
KGEN_EXPORT Array ravel(const Array& array);
KGEN_EXPORT Array flatten(const Array& array);

}  // namespace kgen
