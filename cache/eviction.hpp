// SPDX-License-Identifier: MIT
//
// Eviction: keeps a store within its bounds. Those entries go that were used longest ago; the time of
// use is the file's modification time, which a hit renews. No counter is shared: each put looks with a
// probability that grows with its size, so that any number of short processes look often enough.
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "store_scan.hpp"
#include "store_settings.hpp"

namespace kgen::cache {

struct EvictionBounds {
    std::uint64_t max_bytes = 0;
    std::uint64_t max_files = 0;
    std::uint64_t missing_bytes = 0;  // to be freed in any case
    std::string kept;                 // the path of a file that stays, as it was just put
};

struct EvictionResult {
    bool done = false;        // false: another process is at it, or the root cannot be read
    std::uint64_t bytes = 0;  // what is left
    std::uint64_t files = 0;
    std::uint64_t evicted = 0;  // entries and packs that went
};

// Brings what lies below the root down to 0.8 of the bounds if it is over 0.9 of one, by removing what
// is in quarantine and then entries and packs. Sweeps first: temporary files that have stood still for an hour,
// and what has been in quarantine for a week. Only files of the store's own names go, and only if they
// are still what was looked at. One process at a time evicts; the others do not wait.
EvictionResult evict(int root, const EvictionBounds& bounds, TrustMode trust = TrustMode::owner);

// The order in which files go: what is in quarantine, then what was used longest ago. A time of use
// after `now_ns` counts as that.
void sort_for_removal(std::vector<StoredFile>& files, std::int64_t now_ns);

// Temporary files that have stood still for an hour, and what has been in quarantine for a week.
bool is_stale(const StoredFile& file, std::int64_t now_ns) noexcept;

// Sets the time of use to now if it is more than an hour off. Failure means nothing.
void mark_used(int root, const std::string& path, const struct stat& status) noexcept;

class Eviction {
public:
    // Adds what went to `evictions`.
    Eviction(std::uint64_t max_bytes,
             std::uint64_t max_files,
             TrustMode trust,
             std::atomic<std::uint64_t>& evictions)
        : max_bytes_(max_bytes), max_files_(max_files), trust_(trust), evictions_(evictions) {}

    // Whether an entry is so large that others would have to go for it: over a fifth of the bound.
    bool is_too_large(std::uint64_t bytes) const noexcept { return bytes > max_bytes_ / 5; }

    // After an entry or a pack was stored, which stays however large it is.
    void after_put(int root, std::uint64_t bytes, const std::string& path) noexcept;

    // What is missing to the space that the store leaves free on its file system, after an attempt to
    // make it: 0 if something may be stored.
    std::uint64_t missing_space(int root) noexcept;

private:
    bool is_due(std::uint64_t bytes) noexcept;
    EvictionResult run(int root, std::uint64_t missing_bytes, const std::string& kept) noexcept;

    const std::uint64_t max_bytes_;
    const std::uint64_t max_files_;
    const TrustMode trust_;
    std::atomic<std::uint64_t>& evictions_;
    // What this process knows to be there: found when it last looked, and stored since.
    std::atomic<std::uint64_t> known_bytes_{0};
    std::atomic<std::uint64_t> known_files_{0};
    std::atomic<bool> is_hopeless_{false};  // evicting did not make enough space
};

}  // namespace kgen::cache
