// SPDX-License-Identifier: MIT
//
// Eviction: keeps a store within its bounds by removing the least recently used entries. The time of use is
// the file's modification time, which a hit renews. Processes share no counter. Instead each put scans the
// store with a probability that grows with its size, so any number of short processes scan often enough.
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
    std::uint64_t missing_bytes = 0;  // space to free even within the bounds
    std::string kept;                 // path of a file that stays, because it was just stored
};

struct EvictionResult {
    bool done = false;          // false: another process evicts, or the lock file cannot be opened
    std::uint64_t bytes = 0;    // total size that is left
    std::uint64_t files = 0;    // number of files that are left
    std::uint64_t evicted = 0;  // entries and packs that were removed
};

// Reduces the store to 0.8 of its bounds if it exceeds 0.9 of one. Removes stale files first (see is_stale),
// then quarantined files, then entries and packs. Removes only files whose names have the layout of a store,
// and only if they have not changed since the scan. One process at a time evicts; other processes do not
// wait.
EvictionResult evict(int root, const EvictionBounds& bounds, TrustMode trust = TrustMode::owner);

// Sorts files in the order of removal: quarantined files first, then by time of use, oldest first. A time
// after `now_ns` counts as `now_ns`.
void sort_for_removal(std::vector<StoredFile>& files, std::int64_t now_ns);

// Returns whether a temporary file has not changed for an hour, or a file has been in quarantine for a week.
bool is_stale(const StoredFile& file, std::int64_t now_ns) noexcept;

// Sets the time of use to now if it is more than an hour off. Errors are ignored.
void mark_used(int root, const std::string& path, const struct stat& status) noexcept;

class Eviction {
public:
    // Adds the number of removed entries and packs to `evictions`, which must outlive this object.
    Eviction(std::uint64_t max_bytes,
             std::uint64_t max_files,
             TrustMode trust,
             std::atomic<std::uint64_t>& evictions)
        : max_bytes_(max_bytes), max_files_(max_files), trust_(trust), evictions_(evictions) {}

    // Returns whether an entry is too large to be stored: it exceeds a fifth of the bound, so it would
    // displace many others.
    bool is_too_large(std::uint64_t bytes) const noexcept { return bytes > max_bytes_ / 5; }

    // Must be called after an entry or a pack was stored. May evict other files, but never this one.
    void after_put(int root, std::uint64_t bytes, const std::string& path) noexcept;

    // Returns how many bytes of the file system's required free space are missing, after trying to evict that
    // much. Entries may be stored only if the result is 0.
    std::uint64_t missing_space(int root) noexcept;

private:
    bool is_due(std::uint64_t bytes) noexcept;
    EvictionResult run(int root, std::uint64_t missing_bytes, const std::string& kept) noexcept;

    const std::uint64_t max_bytes_;
    const std::uint64_t max_files_;
    const TrustMode trust_;
    std::atomic<std::uint64_t>& evictions_;
    // Size and number of files that this process knows of: those of its last scan, and those stored since.
    std::atomic<std::uint64_t> known_bytes_{0};
    std::atomic<std::uint64_t> known_files_{0};
    std::atomic<bool> is_hopeless_{false};  // eviction did not free enough space
};

}  // namespace kgen::cache
