// SPDX-License-Identifier: MIT
//
// Printing arrays with NumPy's options (numpy.set_printoptions).
#pragma once

#include <cstdint>
#include <kgen/array.hpp>
#include <kgen/export.hpp>
#include <string>

namespace kgen {

// What stands in front of numbers that are not negative.
enum class PrintSign : std::uint8_t { none, plus, space };

struct PrintOptions {
    int precision = 8;              // digits after the point, at most; 0 to 100
    std::int64_t threshold = 1000;  // of more elements only the ends of each axis are shown
    std::int64_t edge_items = 3;    // how many elements an end has; at least 1
    int line_width = 75;            // columns
    bool suppress_small = false;    // true: no exponents for the sake of small numbers
    PrintSign sign = PrintSign::none;
};

// As numpy.array2string: like to_text(array), with options. Of rank 0 its number as an element would be
// printed ("1." where to_text(array) gives "1.0"). Waits for the current stream. Throws TypeError for an
// option that is out of range, ShapeError for an array that holds nothing.
KGEN_EXPORT std::string to_text(const Array& array, const PrintOptions& options);

}  // namespace kgen
