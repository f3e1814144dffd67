// SPDX-License-Identifier: MIT
//
// find_nearest_entry: for a miss, what the cache has of the same kernel, and what sets it apart.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "image/find_or_compile.hpp"

namespace kgen {

struct NearestEntry {
    std::string path;  // the entry's file, or the pack it is in
    std::vector<std::string>
        differs;  // names of the request's parts, or "producer" where all are equal
};

// The entry of that kernel with the most parts in common with the request; of equals the first by path.
// Nothing if the cache has none, or cannot be read: this is for people.
std::optional<NearestEntry> find_nearest_entry(const std::string& kernel,
                                               const ImageRequest& request) noexcept;

}  // namespace kgen
