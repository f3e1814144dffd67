// SPDX-License-Identifier: MIT
#include "precompile/run_in_parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace kgen {

void run_in_parallel(std::size_t count, int threads, const std::function<void(std::size_t)>& work) {
    const std::size_t used = std::min(static_cast<std::size_t>(std::max(threads, 1)), count);
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;
    std::exception_ptr failure;
    const auto run = [&] {
        for (std::size_t k = next.fetch_add(1); k < count; k = next.fetch_add(1)) {
            try {
                work(k);
            } catch (...) {
                const std::lock_guard lock(mutex);
                if (failure == nullptr) failure = std::current_exception();
                next = count;
            }
        }
    };
    {
        std::vector<std::jthread>
            others;  // joins what it started, also if another thread cannot be started
        for (std::size_t k = 1; k < used; ++k) others.emplace_back(run);
        run();
    }
    if (failure != nullptr) std::rethrow_exception(failure);
}

}  // namespace kgen
