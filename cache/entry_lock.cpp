// SPDX-License-Identifier: MIT
#include "entry_lock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <random>
#include <thread>
#include <utility>

#include "entry_file.hpp"
#include "whole_file_lock.hpp"

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
    error = set_file_lock(file_.get(), F_WRLCK, offset_, 1);
    if (error == 0) return LockAttempt::held;
    return error == EAGAIN ? LockAttempt::busy : LockAttempt::impossible;
}

void EntryLock::release() noexcept {
    if (!file_.is_open()) return;
    // Unlock explicitly: a forked child that has not yet started another program also has the descriptor, so
    // closing it here would not free the lock.
    if (::getpid() == maker_) set_file_lock(file_.get(), F_UNLCK, offset_, 1);
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

namespace {

// Returns a random pause of 5 to 50 ms, so waiting processes do not all retry at the same time.
std::chrono::nanoseconds next_pause() {
    thread_local std::minstd_rand random(std::random_device{}());
    return std::chrono::microseconds(std::uniform_int_distribution<int>(5'000, 50'000)(random));
}

}  // namespace

FindResult EntryTurns::wait(const Digest& request,
                            const std::function<FindResult()>& find,
                            EntryLock& lock) {
    lock = open_lock(request);
    const auto deadline = std::chrono::steady_clock::now() + settings_.lock_timeout;
    for (bool is_waiting = false; lock.is_open(); is_waiting = true) {
        int error = 0;
        const LockAttempt attempt = lock.try_lock(error);
        if (attempt == LockAttempt::impossible) {
            give_up(error);
            break;
        }
        // The entry may have been stored since the miss, also by a process that takes no lock.
        FindResult found = find();
        if (found) lock.release();
        if (found || attempt == LockAttempt::held) return found;
        if (!is_waiting) ++counters_.lock_waits;
        const auto left = deadline - std::chrono::steady_clock::now();
        if (left <= left.zero()) {
            ++counters_.lock_timeouts;
            break;
        }
        std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(left, next_pause()));
    }
    lock.release();
    return make_miss(MissReason::absent);
}

EntryLock EntryTurns::open_lock(const Digest& request) {
    if (has_no_locks_ || settings_.locking == Locking::off) return {};
    int error = ENOENT;
    for (int attempt = 0; attempt < 2 && error == ENOENT; ++attempt) {
        const KeptRoot::Directory directory = root_.open(CreateRoot::yes);
        if (directory == nullptr) return {};
        FileDescriptor file = open_lock_file(directory->get(), settings_.trust, error);
        if (file.is_open()) return {std::move(file), request};
        if (error == ENOENT) root_.close(directory);
    }
    if (error != EMFILE && error != ENFILE && error != ENOMEM) give_up(error);
    return {};
}

void EntryTurns::give_up(int error) {
    if (has_no_locks_.exchange(true)) return;
    tell(settings_.debug,
         "cache: no locks in '" + settings_.root + "': " + error_text(error) +
             "; processes that need the same kernel each compile it");
}

}  // namespace kgen::cache
