// SPDX-License-Identifier: MIT
//
// Reads a kernel's arguments from the command line: NAME=VALUE.
#pragma once

#include <kgen/argument.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "cli/text/list_text.hpp"

namespace kgen::cli {

// A .npy file, or an array in an .npz file.
struct FilePath {
    std::string path;
    std::string array = {};  // its name in the .npz file; empty if the text does not name it
};

inline bool is_npz(const std::string& path) {
    return path.ends_with(".npz");
}

// Splits "model.npz:bias" into the file and the name of the array. Any other text is a path.
FilePath parse_file_path(std::string_view text);

struct ArgumentText {
    std::string text;  // as written
    std::string name;
    std::variant<Scalar, FilePath, ArraySpec, ListValue> value;
};

// Reads "x=5" as int64 (uint64 above its range), "x=5.0" and "x=1e3" as float64, "x=true" as bool, "x=1+2j"
// as complex128, and "x=data.npy", "x=data.npz" and "x=data.npz:name" as files. "x=float32[2,5]" describes an
// array in C order without contents; "x=float32[2,5]/strides=4,8" also gives its strides in bytes.
// "x=[1,2,3]" is an array with these elements (see parse_list). Throws UsageError.
ArgumentText parse_argument(std::string_view text);

// The same, but also reads a value alone; the name is then empty. If the text before '=' is not an
// identifier, it is part of the value.
ArgumentText parse_argument_or_value(std::string_view text);

// Returns the number, true or false that the text is. Throws UsageError, with a message that begins with
// `argument`.
Scalar parse_scalar(std::string_view argument, std::string_view text);

// Returns the dtype with this NumPy or C name. Throws UsageError, with a message that begins with `option`,
// if no dtype has the name.
DType parse_dtype_name(std::string_view option, std::string_view text);

// Splits "NAME=TEXT" into its two parts. Throws UsageError, with a message that begins with `option`, if
// there is no '=' or a part is empty.
std::pair<std::string, std::string> parse_assignment(std::string_view option,
                                                     std::string_view text);

}  // namespace kgen::cli
