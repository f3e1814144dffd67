// SPDX-License-Identifier: MIT
//
// Reads the arguments of a kernel as they are written on the command line: NAME=VALUE.
#pragma once

#include <kgen/argument.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace kgen::cli {

// The path of an .npy file.
struct FilePath {
    std::string path;
};

struct ArgumentText {
    std::string text;  // as written
    std::string name;
    std::variant<Scalar, FilePath, ArraySpec> value;
};

// "x=5" int64 (uint64 above its range), "x=5.0" and "x=1e3" float64, "x=true" bool, "x=1+2j"
// complex128, "x=data.npy" a file, "x=float32[2,5]" an array that is only described, C-ordered, and
// "x=float32[2,5]/strides=4,8" one with its strides in bytes. Throws UsageError.
ArgumentText parse_argument(std::string_view text);

// Likewise, or such a value alone: the name is empty then. What stands before a '=' that is no
// identifier belongs to the value.
ArgumentText parse_argument_or_value(std::string_view text);

// A dtype by its NumPy or C name. `option` begins the message. Throws UsageError.
DType parse_dtype_name(std::string_view option, std::string_view text);

// "NAME=TEXT", both not empty: the two halves. `option` begins the message. Throws UsageError.
std::pair<std::string, std::string> parse_assignment(std::string_view option,
                                                     std::string_view text);

}  // namespace kgen::cli
