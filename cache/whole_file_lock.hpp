// SPDX-License-Identifier: MIT
//
// WholeFileLock: tries to lock a file for its lifetime, so that only one process at a time does some work. It
// never waits. The work must be correct without the lock too, because some file systems have no locks.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace kgen::cache {

// Sets or frees a lock that belongs to the open file, on `length` bytes at `offset`, or to the end of the
// file if `length` is 0. Never waits. Returns 0 or errno.
inline int set_file_lock(int file, short type, ::off_t offset, ::off_t length) noexcept {
    struct ::flock range {};
    range.l_type = type;
    range.l_whence = SEEK_SET;
    range.l_start = offset;
    range.l_len = length;
    int result = 0;
    do {
        result = ::fcntl(file, F_OFD_SETLK, &range);
    } while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : errno;
}

class WholeFileLock {
public:
    // The open file must outlive the lock.
    explicit WholeFileLock(int file) noexcept
        : file_(file), maker_(::getpid()), error_(set_file_lock(file, F_WRLCK, 0, 0)) {}
    ~WholeFileLock() {
        // Unlock explicitly, because a forked child has the open file too and would keep the lock.
        if (error_ == 0 && ::getpid() == maker_) set_file_lock(file_, F_UNLCK, 0, 0);
    }
    WholeFileLock(const WholeFileLock&) = delete;
    WholeFileLock& operator=(const WholeFileLock&) = delete;

    // Whether another process or thread holds the lock. False if the file system has no locks.
    bool is_busy() const noexcept { return error_ == EAGAIN; }

private:
    const int file_;
    const ::pid_t maker_;
    const int error_;  // 0: locked
};

}  // namespace kgen::cache
