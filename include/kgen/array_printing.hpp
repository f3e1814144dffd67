// SPDX-License-Identifier: MIT
//
// Formatting of arrays with the options of numpy.set_printoptions.
#pragma once

#include <cstdint>
#include <kgen/array.hpp>
#include <kgen/export.hpp>
#include <string>

namespace kgen {

// Character printed in front of numbers that are not negative.
enum class PrintSign : std::uint8_t { none, plus, space };

struct PrintOptions {
    int precision = 8;              // most digits after the decimal point; 0 to 100
    std::int64_t threshold = 1000;  // with more elements, only the ends of each axis are shown
    std::int64_t edge_items = 3;    // elements shown at each end; at least 1
    int line_width = 75;            // in columns
    bool suppress_small = false;    // true: small numbers do not cause exponents
    PrintSign sign = PrintSign::none;
};

// Formats the array like numpy.array2string. An array of rank 0 is formatted like an element: "1.", while
// to_text(array) returns "1.0". Waits for the current stream. Throws TypeError if an option is out of range,
// ShapeError if the array has no memory (was default-constructed).
KGEN_EXPORT std::string to_text(const Array& array, const PrintOptions& options);

}  // namespace kgen
