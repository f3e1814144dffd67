// SPDX-License-Identifier: MIT
#include "entry_turns.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <random>
#include <thread>
#include <utility>

namespace kgen::cache {

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
