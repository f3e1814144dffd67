// SPDX-License-Identifier: MIT
//
// Totals on disk: what all processes together have counted, in up to 16 small files a host, so that
// processes rarely want the same one. Nobody waits for a file: what cannot be added at once is lost, and a
// file that does not read counts as zero and is replaced.
//
//     <root>/v1/stats/<host>-<0..15>    "kgen-totals 1 <16 hex>", the digest's start of the lines that
//                                       follow: "<counter> <count>"
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "fork_mutex.hpp"
#include "store_settings.hpp"
#include "store_statistics.hpp"

namespace kgen::cache {

using Totals = std::map<std::string, std::uint64_t>;

// "hits", "misses.damaged", "stores", ...; those that are zero too.
Totals named_counters(const StoreStatistics& statistics);

// The sum of all files that read.
Totals read_totals(int root);

// False if they were lost. Makes nothing but the folder and a file in it.
bool add_totals(int root, const Totals& more, TrustMode trust = TrustMode::owner);

// The files, relative to the root.
std::vector<std::string> totals_paths(int root);

// Removes the files. Returns 0 or errno.
int remove_totals(int root);

// Brings one process's counters to disk, each count once.
class DiskTotals {
public:
    explicit DiskTotals(TrustMode trust) : trust_(trust) {}

    void flush(int root, const StoreCounters& counters) noexcept;
    // Unless it was done within the last second.
    void flush_sometimes(int root, const StoreCounters& counters) noexcept;

private:
    const TrustMode trust_;
    ForkMutex mutex_;  // of the next two
    Totals flushed_;
    std::chrono::steady_clock::time_point last_{};
};

}  // namespace kgen::cache
