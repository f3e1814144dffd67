// SPDX-License-Identifier: MIT
//
// Times of repeated device work, by events, as medians and quartiles.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "benchmarks/bench_case.hpp"

namespace kgen::bench {

struct Quartiles {
    double low = 0;
    double median = 0;
    double high = 0;
};

// Of at least one value.
Quartiles quartiles(std::vector<double> values);

// Milliseconds of one call of `work`, from 9 batches after a warm-up: as many calls a batch as take
// about 25 ms, 3 to 200. The device's stream is timed by events; on the host these are wall-clock
// times. Scale::quick: 3 batches of one call.
Quartiles time_ms(const std::function<void()>& work, Scale scale);

// Milliseconds of one of so many calls of `work`, which gives work to the stream, by events.
double batch_time_ms(const Stream& stream, int calls, const std::function<void()>& work);

double milliseconds_since(std::chrono::steady_clock::time_point start);

}  // namespace kgen::bench
