// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <exception>
#include <latch>
#include <thread>
#include <vector>

namespace kgen::test {

inline constexpr int threads_at_once = 8;

// Runs the work on all threads at once and counts the runs that returned false or threw.
template <typename Work>
int failures(Work work) {
    std::atomic<int> failed{0};
    std::latch start(threads_at_once);
    std::vector<std::thread> threads;
    for (int number = 0; number < threads_at_once; ++number) {
        threads.emplace_back([&, number] {
            start.arrive_and_wait();
            try {
                if (!work(number)) ++failed;
            } catch (const std::exception&) {
                ++failed;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    return failed;
}

}  // namespace kgen::test
