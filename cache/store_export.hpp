// SPDX-License-Identifier: MIT
//
// All that a store holds, as entries: what an export packs.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "entry.hpp"
#include "store_settings.hpp"

namespace kgen::cache {

struct CollectedEntries {
    std::vector<Entry> entries;
    std::uint64_t unusable = 0;  // files and entries of packs that were left out
    int error = 0;               // errno of a directory that could not be read
};

// The entries that the filter lets pass, each verified: the root's own, then those of its packs. Of
// several of one request and producer the first is taken.
CollectedEntries collect_entries(int root,
                                 TrustMode trust,
                                 const std::function<bool(const Entry&)>& is_wanted);

}  // namespace kgen::cache
