// SPDX-License-Identifier: MIT
//
// The file CACHEDIR.TAG in the root. It makes backup programs skip the directory, and code that removes files
// checks it to be sure that the directory belongs to kgen. It is written before any other file.
#pragma once

#include <cstdint>
#include <string_view>

namespace kgen::cache {

inline constexpr std::string_view directory_tag_name = "CACHEDIR.TAG";
inline constexpr std::string_view directory_tag_text =
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# kgen: compiled kernels, made anew when they are missing; see https://bford.info/cachedir/\n";

enum class TagOwner : std::uint8_t {
    kgen,        // tagged by any version of kgen
    nobody_yet,  // empty except for tags that are being written
    not_kgen,    // not empty, and without a tag of kgen
};

struct TagResult {
    TagOwner owner = TagOwner::not_kgen;
    int error = 0;  // errno, if the directory could not be read
};

// Finds out whether the directory is kgen's, still empty, or used by something else. Other processes may be
// creating a cache in it at the same time.
TagResult look_for_tag(int root);

}  // namespace kgen::cache
