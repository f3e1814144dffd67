// SPDX-License-Identifier: MIT
//
// WholeFileLock: keeps other processes from doing the same as this one, for as long as it lives. Nobody waits
// for it. What it guards must come right without it: there are file systems without locks.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace kgen::cache {

class WholeFileLock {
public:
    // The open file outlives the lock.
    explicit WholeFileLock(int file) noexcept : file_(file), maker_(::getpid()) {
        is_locked_ = set(F_WRLCK);
        is_busy_ = !is_locked_ && errno == EAGAIN;
    }
    ~WholeFileLock() {
        // Explicitly: a child that was forked has the open file too and would keep the lock.
        if (is_locked_ && ::getpid() == maker_) set(F_UNLCK);
    }
    WholeFileLock(const WholeFileLock&) = delete;
    WholeFileLock& operator=(const WholeFileLock&) = delete;

    // Another process has it. Where there are no locks nobody does.
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
