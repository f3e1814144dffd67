// SPDX-License-Identifier: MIT
//
// EntryTurns: if several processes miss the same entry, one makes it and the others wait for a bounded time.
// A waiting process looks for the entry repeatedly, so the wait also ends if the entry appears without the
// lock.
#pragma once

#include <atomic>
#include <functional>

#include "entry_lock.hpp"
#include "find_result.hpp"
#include "kept_root.hpp"
#include "store_settings.hpp"
#include "store_statistics.hpp"

namespace kgen::cache {

// Thread-safe.
class EntryTurns {
public:
    // All three arguments must outlive this object.
    EntryTurns(const StoreSettings& settings, KeptRoot& root, StoreCounters& counters)
        : settings_(settings), root_(root), counters_(counters) {}

    // Waits until find() returns a hit or the lock is free. Returns the hit, or a miss if the caller must
    // make the entry. After a miss `lock` is held, unless there are no locks or the wait timed out.
    FindResult wait(const Digest& request,
                    const std::function<FindResult()>& find,
                    EntryLock& lock);

private:
    EntryLock open_lock(const Digest& request);
    void give_up(int error);

    const StoreSettings& settings_;
    KeptRoot& root_;
    StoreCounters& counters_;
    std::atomic<bool> has_no_locks_{false};
};

}  // namespace kgen::cache
