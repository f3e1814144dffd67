// SPDX-License-Identifier: MIT
//
// Deadline and Patience: waiting for other ranks by asking again and again, for a limited time.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace kgen {

class Deadline {
public:
    explicit Deadline(std::chrono::milliseconds timeout) : timeout_(timeout) { renew(); }
    // Waits the whole time again, after a sign of life.
    void renew() { end_ = std::chrono::steady_clock::now() + timeout_; }
    bool has_passed() const { return std::chrono::steady_clock::now() >= end_; }
    std::chrono::milliseconds timeout() const noexcept { return timeout_; }

private:
    std::chrono::milliseconds timeout_;
    std::chrono::steady_clock::time_point end_;
};

// Pauses between two questions. Answers usually come within microseconds, so the first pauses only let other threads
// run; later ones sleep, up to 0.2 ms, so that a long wait leaves the CPU to others.
class Patience {
public:
    void pause() {
        if (++count_ < 1000) {
            std::this_thread::yield();
        } else {
            std::this_thread::sleep_for(std::chrono::microseconds(std::min(count_ / 50, 200)));
        }
    }
    void reset() noexcept { count_ = 0; }

private:
    int count_ = 0;
};

}  // namespace kgen
