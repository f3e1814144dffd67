// SPDX-License-Identifier: MIT
//
// EntryWriter: the part of a Store that writes. It writes below the root, keeps the store within its bounds,
// and stops storing entries after repeated failures.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <string>

#include "disk_totals.hpp"
#include "entry.hpp"
#include "eviction.hpp"
#include "store_root.hpp"
#include "store_settings.hpp"
#include "store_statistics.hpp"

namespace kgen::cache {

// Thread-safe.
class EntryWriter {
public:
    // All arguments must outlive this object.
    EntryWriter(const StoreSettings& settings, KeptRoot& root, StoreCounters& counters);

    // Stores an entry. Returns false if it is not on disk now, because it is too large for the bounds or
    // because writing failed. Failures are counted, and the first one causes a warning. After three failures
    // in a row, put() stores nothing more.
    bool put(Entry&& entry, const std::string& path);

    struct Result {
        int error = 0;
        std::string problem;
    };
    // Writes any file of the store, regardless of earlier failures.
    Result write(const std::string& path, std::span<const std::byte> bytes);

    // Whether the last put() failed.
    bool has_failed() const noexcept { return failures_in_row_ != 0; }

    // Adds the counters to the totals on disk; errors are ignored. put() does this too, at most once a
    // second.
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
