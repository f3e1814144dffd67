// SPDX-License-Identifier: MIT
//
// Writes arrays, shapes, dtypes, devices and numbers to standard streams. kgen/kgen.hpp does not include it.
//
//     std::cout << x << " of " << x.dtype() << '\n';
#pragma once

#include <concepts>
#include <kgen/array.hpp>
#include <kgen/device.hpp>
#include <kgen/dims.hpp>
#include <kgen/dtype.hpp>
#include <kgen/scalar.hpp>
#include <ostream>

namespace kgen {

template <typename T>
concept WrittenByToText = std::derived_from<T, Array> || std::same_as<T, Dims> ||
    std::same_as<T, DType> || std::same_as<T, Device> || std::same_as<T, Scalar>;

// Writes to_text(value). It is a template, so that what converts to these types is not written as one of them.
template <WrittenByToText T>
std::ostream& operator<<(std::ostream& stream, const T& value) {
    return stream << to_text(value);
}

}  // namespace kgen
