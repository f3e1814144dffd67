// SPDX-License-Identifier: MIT
//
// EntryWriter: the storing half of a Store: writes below the root, keeps it within its bounds, and gives up
// where the disk does not take what it is given.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <string>

#include "disk_totals.hpp"
#include "entry.hpp"
#include "eviction.hpp"
#include "kept_root.hpp"
#include "store_settings.hpp"
#include "store_statistics.hpp"

namespace kgen::cache {

// Thread safe.
class EntryWriter {
public:
    // All outlive it.
    EntryWriter(const StoreSettings& settings, KeptRoot& root, StoreCounters& counters);

    // False if the entry is not on disk now: it is too large for the bounds, or it failed, which is
    // counted and warned of; after three failures in a row nothing more is tried.
    bool put(Entry&& entry, const std::string& path);

    struct Result {
        int error = 0;
        std::string problem;
    };
    // Any file of the store's, whatever failed before.
    Result write(const std::string& path, std::span<const std::byte> bytes);

    // The last put did.
    bool has_failed() const noexcept { return failures_in_row_ != 0; }

    // Adds what was counted to the totals on disk. Best effort; done after a put too.
    void flush_totals() noexcept;

private:
    bool decline(const std::string& path, std::size_t size_bytes);
    bool fail(const std::string& path, const Result& result);
    std::string full_path(const std::string& path) const { return settings_.root + '/' + path; }

    const StoreSettings& settings_;
    KeptRoot& root_;
    StoreCounters& counters_;
    Eviction eviction_;
    DiskTotals totals_;
    std::atomic<bool> warned_of_failure_{false};
    std::atomic<bool> warned_of_size_{false};
    std::atomic<int> failures_in_row_{0};
};

}  // namespace kgen::cache
