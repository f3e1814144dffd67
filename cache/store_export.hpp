// SPDX-License-Identifier: MIT
//
// collect_entries: reads all entries of a store for an export.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "entry.hpp"
#include "store_settings.hpp"

namespace kgen::cache {

struct CollectedEntries {
    std::vector<Entry> entries;
    std::uint64_t unusable = 0;  // files and entries of packs that cannot be read
    int error = 0;               // errno if a directory could not be read
};

// Returns the verified entries that the filter accepts: first those in entry files, then those in packs. If
// several entries have the same request and producer, the first one is returned.
CollectedEntries collect_entries(int root,
                                 TrustMode trust,
                                 const std::function<bool(const Entry&)>& is_wanted);

}  // namespace kgen::cache
