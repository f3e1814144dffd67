// SPDX-License-Identifier: MIT
//
// ShardedBench: times calls that all ranks of a communicator begin together.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <kgen/kgen.hpp>
#include <string>
#include <vector>

namespace kgen::bench {

inline double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

inline double us_since(std::chrono::steady_clock::time_point start) {
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    return took.count();
}

inline std::string bandwidth(double bytes, double us) {
    return fmt::format("{:.1f} GB/s", bytes / us / 1e3);
}

struct ShardedBench {
    Communicator ranks;
    int batches = 7;

    void finish() const {
        for (const int rank : ranks.local_ranks()) synchronize(ranks.device(rank));
    }
    void settle() const {
        finish();
        ranks.barrier();
    }

    // Returns the median time of a call in microseconds, over batches of `calls` that all ranks begin together.
    double time_us(int calls, const std::function<void()>& call) const {
        std::vector<double> times;
        for (int batch = -2; batch < batches; ++batch) {
            settle();
            const auto start = std::chrono::steady_clock::now();
            for (int k = 0; k < calls; ++k) call();
            finish();
            if (batch >= 0) times.push_back(us_since(start) / calls);
        }
        return median(times);
    }

    void tell(const std::string& name, double us, const std::string& meaning = {}) const {
        if (ranks.rank() != 0) return;
        fmt::print("{:<44} {:>12.2f} us  {}\n", name, us, meaning);
        std::fflush(stdout);
    }
};

// Copies between all pairs of GPUs of this process, one pair alone and all at once (peer_traffic.cpp).
void measure_peer_copies(const ShardedBench& bench);

// How far apart the GPUs of this process start a call (launch_skew.cpp).
void measure_launch_skew(const ShardedBench& bench);

}  // namespace kgen::bench
