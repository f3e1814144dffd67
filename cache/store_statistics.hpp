// SPDX-License-Identifier: MIT
//
// StoreStatistics: counts of what a store did in this process. StoreCounters: the same counters as atomics.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>

#include "find_result.hpp"
#include "fork_mutex.hpp"

namespace kgen::cache {

struct StoreStatistics {
    std::uint64_t hits = 0;                            // in entry files below the root
    std::uint64_t read_only_hits = 0;                  // in packs and read-only places
    std::array<std::uint64_t, miss_reasons> misses{};  // by MissReason; [0] is always 0
    std::uint64_t stores = 0;
    std::uint64_t store_failures = 0;
    std::map<int, std::uint64_t> store_errors;  // number of failures by errno
    std::uint64_t quarantined = 0;
    std::uint64_t rejections = 0;  // verified entries with unusable contents
    std::uint64_t lock_waits = 0;  // waits for another process's entry
    std::uint64_t lock_timeouts = 0;
    std::uint64_t evictions = 0;
    std::uint64_t declined = 0;  // entries too large for the bounds
};

// Thread-safe.
struct StoreCounters {
    std::atomic<std::uint64_t> hits{0};
    std::atomic<std::uint64_t> read_only_hits{0};
    std::array<std::atomic<std::uint64_t>, miss_reasons> misses{};
    std::atomic<std::uint64_t> stores{0};
    std::atomic<std::uint64_t> quarantined{0};
    std::atomic<std::uint64_t> rejections{0};
    std::atomic<std::uint64_t> lock_waits{0};
    std::atomic<std::uint64_t> lock_timeouts{0};
    std::atomic<std::uint64_t> evictions{0};
    std::atomic<std::uint64_t> declined{0};

    void count(const FindResult& result) noexcept;
    void count_store_failure(int error);

    StoreStatistics read() const;

private:
    mutable ForkMutex mutex_;  // guards store_errors_
    std::map<int, std::uint64_t> store_errors_;
};

}  // namespace kgen::cache
