// SPDX-License-Identifier: MIT
//
// Counts of cache hits, misses and compilations in this process.
#pragma once

#include <cstdint>
#include <kgen/export.hpp>
#include <map>
#include <string>

namespace kgen {

struct CacheStatistics {
    // Compiled images that were found already loaded for another kernel object (memory_hits), in the cache
    // directory (disk_hits), or in a read-only cache (read_only_hits). A call of a kernel object whose image
    // is loaded makes no lookup.
    std::uint64_t memory_hits = 0;
    std::uint64_t disk_hits = 0;
    std::uint64_t read_only_hits = 0;
    std::map<std::string, std::uint64_t> misses;  // number by reason: {"no entry", 3}

    // Programs passed to a compiler, for calls and by precompile(). Kernels that are compiled together count
    // as one program.
    std::uint64_t compiles = 0;
    std::uint64_t compile_failures = 0;           // programs that failed to compile
    std::uint64_t stores = 0;                     // entries written
    std::map<int, std::uint64_t> store_failures;  // number by errno
    std::uint64_t quarantined = 0;        // damaged or rejected files moved to the quarantine
    std::uint64_t driver_rejections = 0;  // cached images that the driver rejected
    std::uint64_t lock_waits = 0;         // waits while another process made the entry
    std::uint64_t lock_timeouts = 0;      // waits that ended without the entry
    std::uint64_t evictions = 0;          // entries removed to stay within the bounds
};

// Returns the current counts.
KGEN_EXPORT CacheStatistics cache_statistics();

}  // namespace kgen
