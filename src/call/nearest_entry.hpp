// SPDX-License-Identifier: MIT
//
// find_nearest_entry: explains a cache miss by the most similar cache entry of the same kernel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "image/find_or_compile.hpp"

namespace kgen {

struct NearestEntry {
    std::string path;  // the entry's file, or the pack that contains it
    std::vector<std::string>
        differs;  // names of the request's parts that differ; "producer" if none does
};

// Returns the entry of that kernel with the fewest parts that differ from the request; the first by path if
// several are equal. Returns nothing if there is no such entry or the cache cannot be read. For display only.
std::optional<NearestEntry> find_nearest_entry(const std::string& kernel,
                                               const ImageRequest& request) noexcept;

}  // namespace kgen
