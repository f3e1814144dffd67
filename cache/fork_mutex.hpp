// SPDX-License-Identifier: MIT
//
// ForkMutex: a mutex that no other thread holds while the process forks. The child can therefore lock it and
// finds the guarded data in a consistent state. It is for data that a child uses too. A fork waits for all
// threads in such critical sections, so the sections must not wait for other threads.
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
    // Prevent other threads from forking between enter() and leave().
    static void enter();
    static void leave() noexcept;

    std::mutex mutex_;
};

}  // namespace kgen::cache
