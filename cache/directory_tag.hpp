// SPDX-License-Identifier: MIT
//
// CACHEDIR.TAG in the root: backup programs skip the directory, and what removes files knows by it that
// the directory is kgen's. It is written before anything else is.
#pragma once

#include <cstdint>
#include <string_view>

namespace kgen::cache {

inline constexpr std::string_view directory_tag_name = "CACHEDIR.TAG";
inline constexpr std::string_view directory_tag_text =
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# kgen: compiled kernels, made anew when they are missing; see https://bford.info/cachedir/\n";

enum class TagOwner : std::uint8_t {
    kgen,        // of any version
    nobody_yet,  // the directory is empty but for tags that are being written
    not_kgen,    // there is something, and no tag of kgen's
};

struct TagResult {
    TagOwner owner = TagOwner::not_kgen;
    int error = 0;  // errno, if the directory could not be read
};

// Whose directory it is. Others may be making a cache of it at the same time.
TagResult look_for_tag(int root);

}  // namespace kgen::cache
