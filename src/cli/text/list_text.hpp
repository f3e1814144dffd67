// SPDX-License-Identifier: MIT
//
// Reads the elements of an array from the command line: x=[1,2,3], x=[[1.5,2],[3,4]].
#pragma once

#include <kgen/array.hpp>
#include <string_view>
#include <vector>

namespace kgen::cli {

// A list of numbers, as numpy.array reads it: the dtype is that of the numbers, promoted, and float64 if there
// are none.
struct ListValue {
    DType dtype = DType::float64;
    Dims shape;
    std::vector<Scalar> elements;  // in C order

    Array make_array(Device device) const;
};

// Reads "[1, 2]" and "[[true, false], []]"; the elements are those of parse_argument. `argument` begins the
// messages. Throws UsageError if lists that stand side by side differ in length, or stand beside a number.
ListValue parse_list(std::string_view argument, std::string_view text);

}  // namespace kgen::cli
