// SPDX-License-Identifier: MIT
//
// Entries of the cache or of a pack, a line each.
#pragma once

#include <kgen/cache.hpp>
#include <vector>

#include "cli/options/common_options.hpp"

namespace kgen::cli {

// To stdout in the format that was asked for.
void print_entry_table(const std::vector<CacheEntry>& entries, const CommonOptions& options);

}  // namespace kgen::cli
