// SPDX-License-Identifier: MIT
//
// ForkMutex: a mutex that no other thread holds when a process forks, so that the child can lock it and finds
// what it guards as it was between two critical sections. For what a child uses too, and for sections that
// end by themselves. A fork waits for the threads that are in one.
#pragma once

#include <mutex>

namespace kgen::cache {

class ForkMutex {
public:
    constexpr ForkMutex() noexcept = default;

    void lock() {
        enter();
        mutex_.lock();
    }
    bool try_lock() {
        enter();
        if (mutex_.try_lock()) return true;
        leave();
        return false;
    }
    void unlock() {
        mutex_.unlock();
        leave();
    }

private:
    // Keeps other threads from forking.
    static void enter();
    static void leave() noexcept;

    std::mutex mutex_;
};

}  // namespace kgen::cache
