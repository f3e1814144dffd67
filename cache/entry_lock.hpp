// SPDX-License-Identifier: MIT
//
// EntryLock: the lock of a process that makes an entry. Other processes wait for it instead of making the
// same entry. A lock is one byte of the file <root>/v1/locks, at an offset that the request determines. The
// file is empty and never removed. No lock becomes stale, because the kernel frees the locks of a process
// that dies. The locks only save work; entries are correct without them.
//
// A lock belongs to its file descriptor (F_OFD_SETLK). Each EntryLock opens its own, so threads and several
// copies of this library in one process exclude each other too.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>

#include "digest.hpp"
#include "file_descriptor.hpp"
#include "find_result.hpp"
#include "store_root.hpp"
#include "store_settings.hpp"
#include "store_statistics.hpp"

namespace kgen::cache {

enum class LockAttempt : std::uint8_t { held, busy, impossible };

class EntryLock {
public:
    EntryLock() = default;  // never held
    // The lock of `request` in a file from open_lock_file().
    EntryLock(FileDescriptor file, const Digest& request) noexcept;
    EntryLock(EntryLock&& other) noexcept = default;
    EntryLock& operator=(EntryLock&& other) noexcept;
    ~EntryLock() { release(); }

    bool is_open() const noexcept { return file_.is_open(); }

    // Takes the lock if it is free. Returns `impossible`, with errno in `error`, if the system or the file
    // system does not support such locks.
    LockAttempt try_lock(int& error) noexcept;

    // Releases the lock and closes the file. In a child process that was forked while the lock was held, only
    // closes the file, because the parent holds the lock.
    void release() noexcept;

private:
    FileDescriptor file_;
    ::off_t offset_ = 0;
    ::pid_t maker_ = 0;
};

// Opens the lock file below the root and creates it if necessary. On failure the result is not open, and
// `error` is errno.
FileDescriptor open_lock_file(int root, TrustMode trust, int& error);

// EntryTurns: if several processes miss the same entry, one makes it and the others wait for a bounded time.
// A waiting process looks for the entry repeatedly, so the wait also ends if the entry appears without the
// lock. Thread-safe.
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
