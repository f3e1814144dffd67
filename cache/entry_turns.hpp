// SPDX-License-Identifier: MIT
//
// EntryTurns: of the processes that miss an entry at the same time one makes it, and the others wait
// for it, for a bounded time. Who waits looks for the entry again and again, so that one that comes
// by another way ends the wait too.
#pragma once

#include <atomic>
#include <functional>

#include "entry_lock.hpp"
#include "find_result.hpp"
#include "kept_root.hpp"
#include "store_settings.hpp"
#include "store_statistics.hpp"

namespace kgen::cache {

// Thread safe.
class EntryTurns {
public:
    // All three outlive it.
    EntryTurns(const StoreSettings& settings, KeptRoot& root, StoreCounters& counters)
        : settings_(settings), root_(root), counters_(counters) {}

    // A hit of find(), as soon as it is one; else the caller's turn: with the lock held, or not where
    // there are no locks or the time is over.
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
