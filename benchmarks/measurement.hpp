// SPDX-License-Identifier: MIT
//
// Times of repeated work of a device, as medians and quartiles.
#pragma once

#include <chrono>
#include <functional>
#include <utility>
#include <vector>

#include "benchmarks/bench_case.hpp"

namespace kgen::bench {

struct Quartiles {
    double low = 0;
    double median = 0;
    double high = 0;
};

// Returns the quartiles of at least one value.
Quartiles quartiles(std::vector<double> values);

// Returns the time of one call of `work` in milliseconds, from 9 batches after a warm-up. A batch has 3 to
// 200 calls, as many as take about 25 ms. With Scale::quick there are 3 batches of one call. Events measure
// the time. On the host they record wall-clock time.
Quartiles time_ms(const std::function<void()>& work, Scale scale);

// Returns the time on the GPU of one call of `work`, which submits kernels to current_stream(): a graph of 100 calls
// is replayed as time_ms() calls a work. What a launch costs the CPU is not part of it.
Quartiles graph_time_ms(const std::function<void()>& work, Scale scale);

// Returns time_ms(), or graph_time_ms() if the call takes less than 0.2 ms on a GPU: the host may take longer to launch a
// kernel than the GPU to run it. PyTorch's compiled functions take 36 us. random_peers.py does the same.
Quartiles call_time_ms(const std::function<void()>& work, Scale scale);

// Does the same as time_ms() for several works in turn, batch by batch.
std::vector<Quartiles> times_in_turn_ms(const std::vector<std::function<void()>>& works,
                                        Scale scale);

// Returns the time in milliseconds of one of `calls` calls of `work`, which gives work to the stream.
// Measured by events.
double batch_time_ms(const Stream& stream, int calls, const std::function<void()>& work);

double milliseconds_since(std::chrono::steady_clock::time_point start);

}  // namespace kgen::bench
