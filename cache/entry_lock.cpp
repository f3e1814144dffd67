// SPDX-License-Identifier: MIT
#include "entry_lock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "entry_file.hpp"

namespace kgen::cache {

namespace {

constexpr const char* lock_path = "v1/locks";

// Returns the first 62 bits of the request, because file offsets have 63 bits.
::off_t offset_of(const Digest& request) noexcept {
    std::uint64_t bits = 0;
    for (std::size_t k = 0; k < 8; ++k) {
        bits = bits << 8 | static_cast<std::uint64_t>(request.bytes[k]);
    }
    return static_cast<::off_t>(bits >> 2);
}

struct ::flock range(short type, ::off_t offset) noexcept {
    struct ::flock range {};
    range.l_type = type;
    range.l_whence = SEEK_SET;
    range.l_start = offset;
    range.l_len = 1;
    return range;
}

}  // namespace

EntryLock::EntryLock(FileDescriptor file, const Digest& request) noexcept
    : file_(std::move(file)), offset_(offset_of(request)), maker_(::getpid()) {}

EntryLock& EntryLock::operator=(EntryLock&& other) noexcept {
    release();
    file_ = std::move(other.file_);
    offset_ = other.offset_;
    maker_ = other.maker_;
    return *this;
}

LockAttempt EntryLock::try_lock(int& error) noexcept {
    struct ::flock wanted = range(F_WRLCK, offset_);
    int result = 0;
    do {
        result = ::fcntl(file_.get(), F_OFD_SETLK, &wanted);
    } while (result != 0 && errno == EINTR);
    if (result == 0) return LockAttempt::held;
    error = errno;
    return error == EAGAIN ? LockAttempt::busy : LockAttempt::impossible;
}

void EntryLock::release() noexcept {
    if (!file_.is_open()) return;
    // Unlock explicitly: a forked child that has not yet started another program also has the descriptor, so
    // closing it here would not free the lock.
    if (::getpid() == maker_) {
        struct ::flock free = range(F_UNLCK, offset_);
        ::fcntl(file_.get(), F_OFD_SETLK, &free);
    }
    file_ = {};
}

FileDescriptor open_lock_file(int root, TrustMode trust, int& error) {
    constexpr int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    FileDescriptor file(::openat(root, lock_path, flags));
    if (!file.is_open() && errno == ENOENT) {
        error = make_layout(root, trust);
        if (error != 0) return {};
        file =
            FileDescriptor(::openat(root, lock_path, flags | O_CREAT | O_EXCL, file_mode(trust)));
        if (file.is_open()) {
            ::fchmod(file.get(), file_mode(trust));  // regardless of the umask
        } else if (errno == EEXIST) {
            file = FileDescriptor(::openat(root, lock_path, flags));
        }
    }
    struct stat status {};
    if (!file.is_open() || ::fstat(file.get(), &status) != 0) {
        error = errno;
        return {};
    }
    if (!S_ISREG(status.st_mode)) {
        error = EINVAL;
        return {};
    }
    return file;
}

}  // namespace kgen::cache
