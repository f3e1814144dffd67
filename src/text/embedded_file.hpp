// SPDX-License-Identifier: MIT
//
// A text file that is part of the library (cmake/embed.cmake).
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

namespace kgen {

struct EmbeddedFile {
    std::string_view name;  // path below the folder of its group: "kgen/array.cuh"
    std::string_view text;
};

// Returns the file of that name, or nullptr if there is none. `files` must be sorted by name.
inline const EmbeddedFile* find_file(std::span<const EmbeddedFile> files, std::string_view name) {
    const auto at = std::lower_bound(
        files.begin(), files.end(), name, [](const EmbeddedFile& file, auto wanted) {
            return file.name < wanted;
        });
    return at != files.end() && at->name == name ? &*at : nullptr;
}

}  // namespace kgen
