// SPDX-License-Identifier: MIT
//
// Reads a kernel's arguments from the command line: NAME=VALUE.
#pragma once

#include <kgen/argument.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace kgen::cli {

// The path of a .npy file.
struct FilePath {
    std::string path;
};

struct ArgumentText {
    std::string text;  // as written
    std::string name;
    std::variant<Scalar, FilePath, ArraySpec> value;
};

// Reads "x=5" as int64 (uint64 above its range), "x=5.0" and "x=1e3" as float64, "x=true" as bool, "x=1+2j"
// as complex128, and "x=data.npy" as a file. "x=float32[2,5]" describes an array in C order without contents;
// "x=float32[2,5]/strides=4,8" also gives its strides in bytes. Throws UsageError.
ArgumentText parse_argument(std::string_view text);

// The same, but also reads a value alone; the name is then empty. If the text before '=' is not an
// identifier, it is part of the value.
ArgumentText parse_argument_or_value(std::string_view text);

// Returns the dtype with this NumPy or C name. Throws UsageError, with a message that begins with `option`,
// if no dtype has the name.
DType parse_dtype_name(std::string_view option, std::string_view text);

// Splits "NAME=TEXT" into its two parts. Throws UsageError, with a message that begins with `option`, if
// there is no '=' or a part is empty.
std::pair<std::string, std::string> parse_assignment(std::string_view option,
                                                     std::string_view text);

}  // namespace kgen::cli
