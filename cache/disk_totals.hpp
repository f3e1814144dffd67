// SPDX-License-Identifier: MIT
//
// Totals on disk: the sums of the counters of all processes. Each host has up to 16 small files, so two
// processes rarely need the same one. No process waits for a file: if none of the 16 can be locked and
// written, the counts are not added. A file that cannot be decoded counts as zero and is replaced.
//
//     <root>/v1/stats/<host>-<0..15>    "kgen-totals 1 <16 hex>": the first digits of the SHA-256 of the
//                                       lines that follow, each "<counter> <count>"
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fork_mutex.hpp"
#include "store_settings.hpp"
#include "store_statistics.hpp"

namespace kgen::cache {

using Totals = std::map<std::string, std::uint64_t>;

// Returns all counters by name, including zeros: "hits", "misses.damaged", "stores", ...
Totals named_counters(const StoreStatistics& statistics);

// Returns the sum of all files that can be decoded.
Totals read_totals(int root);

// Adds to the totals. Returns false if the counts could not be added. Creates only the folder and a file in
// it.
bool add_totals(int root, const Totals& more, TrustMode trust = TrustMode::owner);

// Returns the paths of the files, relative to the root.
std::vector<std::string> totals_paths(int root);

// Removes the files. Returns 0 or errno.
int remove_totals(int root);

// Adds the counters of this process to the totals on disk, each count once.
class DiskTotals {
public:
    explicit DiskTotals(TrustMode trust) : trust_(trust) {}

    void flush(int root, const StoreCounters& counters) noexcept;
    // Calls flush() unless it was called within the last second.
    void flush_sometimes(int root, const StoreCounters& counters) noexcept;

private:
    const TrustMode trust_;
    ForkMutex mutex_;  // guards the next two
    Totals flushed_;
    std::chrono::steady_clock::time_point last_{};
};

}  // namespace kgen::cache
