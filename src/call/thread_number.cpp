// SPDX-License-Identifier: MIT
#include "call/thread_number.hpp"

#include <mutex>
#include <new>
#include <vector>

#include "fork_mutex.hpp"

namespace kgen {

namespace {

// Hands out the numbers 0, 1, 2, ... and prefers numbers that were given back.
class NumberPool {
public:
    int take() {
        const std::lock_guard lock(mutex_);
        if (free_.empty()) {
            free_.reserve(static_cast<std::size_t>(next_) + 1);  // so that give_back cannot fail
            return next_++;
        }
        const int number = free_.back();
        free_.pop_back();
        return number;
    }
    void give_back(int number) noexcept {
        const std::lock_guard lock(mutex_);
        free_.push_back(number);
    }

private:
    cache::ForkMutex mutex_;
    std::vector<int> free_;
    int next_ = 0;
};

NumberPool& number_pool() {
    static auto* pool = new NumberPool;  // never destroyed: threads may outlive static objects
    return *pool;
}

// Returns the number to the pool when its thread ends.
struct NumberHolder {
    ~NumberHolder() {
        const int number = detail::thread_number;
        detail::thread_number = detail::thread_that_ends;
        if (number >= 0) number_pool().give_back(number);
    }
};

}  // namespace

namespace detail {

constinit thread_local int thread_number = thread_without_number;

int assign_thread_number() noexcept {
    if (thread_number == thread_that_ends) return -1;
    try {
        thread_number = number_pool().take();
    } catch (const std::bad_alloc&) {
        return -1;
    }
    static thread_local NumberHolder holder;
    static_cast<void>(holder);
    return thread_number;
}

}  // namespace detail

}  // namespace kgen
