// SPDX-License-Identifier: MIT
//
// WholeFileLock: tries to lock a file for its lifetime, so that only one process at a time does some work. It
// never waits. The work must be correct without the lock too, because some file systems have no locks.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace kgen::cache {

class WholeFileLock {
public:
    // The open file must outlive the lock.
    explicit WholeFileLock(int file) noexcept : file_(file), maker_(::getpid()) {
        is_locked_ = set(F_WRLCK);
        is_busy_ = !is_locked_ && errno == EAGAIN;
    }
    ~WholeFileLock() {
        // Unlock explicitly, because a forked child has the open file too and would keep the lock.
        if (is_locked_ && ::getpid() == maker_) set(F_UNLCK);
    }
    WholeFileLock(const WholeFileLock&) = delete;
    WholeFileLock& operator=(const WholeFileLock&) = delete;

    // Whether another process or thread holds the lock. False if the file system has no locks.
    bool is_busy() const noexcept { return is_busy_; }

private:
    bool set(short type) const noexcept {
        struct flock range {};
        range.l_type = type;
        range.l_whence = SEEK_SET;
        int result = 0;
        do {
            result = ::fcntl(file_, F_OFD_SETLK, &range);
        } while (result != 0 && errno == EINTR);
        return result == 0;
    }

    const int file_;
    const ::pid_t maker_;
    bool is_locked_ = false;
    bool is_busy_ = false;
};

}  // namespace kgen::cache
