// SPDX-License-Identifier: MIT
//
// CACHEDIR.TAG in the root: backup programs skip the directory, and what removes files knows by it that
// the directory is kgen's. It is written before anything else is.
#pragma once

#include <string_view>

namespace kgen::cache {

inline constexpr std::string_view directory_tag_name = "CACHEDIR.TAG";
inline constexpr std::string_view directory_tag_text =
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# kgen: compiled kernels, made anew when they are missing; see https://bford.info/cachedir/\n";

// Whether the tag is there and is kgen's, of any version.
bool has_directory_tag(int root);

}  // namespace kgen::cache
