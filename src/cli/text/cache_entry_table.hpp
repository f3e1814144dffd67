// SPDX-License-Identifier: MIT
//
// Prints entries of the cache or of a pack, one per line.
#pragma once

#include <kgen/cache.hpp>
#include <vector>

#include "cli/options/common_options.hpp"

namespace kgen::cli {

// Prints to stdout in the requested format.
void print_entry_table(const std::vector<CacheEntry>& entries, const CommonOptions& options);

}  // namespace kgen::cli
