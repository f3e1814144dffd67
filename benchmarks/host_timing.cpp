// SPDX-License-Identifier: MIT
#include "benchmarks/host_timing.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "benchmarks/measurement.hpp"

namespace kgen::bench {

namespace {

constexpr Size least_elements_of_threads = 2 * 65536;

double cpu_ms() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return 1e3 * static_cast<double>(usage.ru_utime.tv_sec) +
           1e-3 * static_cast<double>(usage.ru_utime.tv_usec);
}

// Wall-clock and CPU time of one call in milliseconds, for each repetition.
struct Times {
    std::vector<double> wall;
    std::vector<double> cpu;
};

void time_once(const std::function<void()>& work, int calls, Times& times) {
    const double cpu = cpu_ms();
    const auto start = std::chrono::steady_clock::now();
    for (int call = 0; call < calls; ++call) work();
    times.wall.push_back(milliseconds_since(start) / calls);
    times.cpu.push_back((cpu_ms() - cpu) / calls);
}

}  // namespace

int host_thread_count() {
    const char* setting = std::getenv("KGEN_HOST_THREADS");
    if (setting != nullptr) return std::max(std::atoi(setting), 1);
    return static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
}

void split_over_threads(Size count,
                        Size elements,
                        int threads,
                        const std::function<void(Size begin, Size end, int thread)>& work) {
    if (threads < 2 || elements < least_elements_of_threads) return work(0, count, 0);
    std::vector<std::thread> others;
    for (int k = 1; k < threads; ++k) {
        others.emplace_back([&, k] { work(count * k / threads, count * (k + 1) / threads, k); });
    }
    work(0, count / threads, 0);
    for (std::thread& other : others) other.join();
}

void time_in_turn(HostLoopRow& row,
                  const std::function<void()>& ours,
                  const std::function<void()>& theirs,
                  int calls,
                  int repetitions) {
    Times our_times;
    Times their_times;
    ours();
    theirs();
    for (int k = 0; k < repetitions; ++k) {
        time_once(ours, calls, our_times);
        time_once(theirs, calls, their_times);
    }
    row.kgen_ms = quartiles(our_times.wall).median;
    row.reference_ms = quartiles(their_times.wall).median;
    row.kgen_cpu_ms = quartiles(our_times.cpu).median;
    row.reference_cpu_ms = quartiles(their_times.cpu).median;
}

}  // namespace kgen::bench
