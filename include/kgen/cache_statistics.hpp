// SPDX-License-Identifier: MIT
//
// What the cache did in this process.
#pragma once

#include <cstdint>
#include <kgen/export.hpp>
#include <map>
#include <string>

namespace kgen {

struct CacheStatistics {
    // Images that were wanted and found: loaded already for another kernel object, in the cache's
    // directory, or in a read-only place. Calls of a kernel object that is loaded look nothing up.
    std::uint64_t memory_hits = 0;
    std::uint64_t disk_hits = 0;
    std::uint64_t read_only_hits = 0;
    std::map<std::string, std::uint64_t> misses;  // by reason: {"no entry", 3}

    // Programs that a compiler was given, for calls and by precompile(); several kernels that are
    // compiled together are one.
    std::uint64_t compiles = 0;
    std::uint64_t compile_failures = 0;           // of these
    std::uint64_t stores = 0;                     // entries written
    std::map<int, std::uint64_t> store_failures;  // by errno
    std::uint64_t quarantined = 0;                // damaged or refused files moved away
    std::uint64_t driver_rejections = 0;          // cached images that the driver refused
    std::uint64_t lock_waits = 0;                 // for an entry that another process was making
    std::uint64_t lock_timeouts = 0;              // of these, in vain
    std::uint64_t evictions = 0;                  // entries removed to keep the bounds
};

// A copy; the numbers go on growing.
KGEN_EXPORT CacheStatistics cache_statistics();

}  // namespace kgen
