// SPDX-License-Identifier: MIT
//
// EntryLock: held by the process that makes an entry, so that others wait for it instead of making
// the same. All locks are bytes of one file, <root>/v1/locks, at an offset that the request gives;
// the file is empty and never removed, so that nothing is ever stale: the kernel frees the locks of a
// process that dies. They save work and guard nothing: entries are right without them.
//
// A lock belongs to its descriptor (F_OFD_SETLK), and each EntryLock opens its own: threads and
// libraries of one process do not meet in it.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "digest.hpp"
#include "file_descriptor.hpp"
#include "store_settings.hpp"

namespace kgen::cache {

enum class LockAttempt : std::uint8_t { held, busy, impossible };

class EntryLock {
public:
    EntryLock() = default;  // of nothing: never held
    // Of a file from open_lock_file().
    EntryLock(FileDescriptor file, const Digest& request) noexcept;
    EntryLock(EntryLock&& other) noexcept = default;
    EntryLock& operator=(EntryLock&& other) noexcept;
    ~EntryLock() { release(); }

    bool is_open() const noexcept { return file_.is_open(); }

    // Takes the lock if it is free. Where it is impossible, `error` is why: this file system, or this
    // system, has no such locks.
    LockAttempt try_lock(int& error) noexcept;

    // Gives the lock back and closes the file. In a process forked meanwhile the lock stays, since
    // it is the parent's as well.
    void release() noexcept;

private:
    FileDescriptor file_;
    ::off_t offset_ = 0;
    ::pid_t maker_ = 0;
};

// The lock file below that root, made if it is not there; else closed, with errno in `error`.
FileDescriptor open_lock_file(int root, TrustMode trust, int& error);

}  // namespace kgen::cache
