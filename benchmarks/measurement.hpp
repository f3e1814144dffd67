// SPDX-License-Identifier: MIT
//
// Times of repeated device work, by events, as medians.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <kgen/kgen.hpp>
#include <vector>

namespace kgen::bench {

struct Quartiles {
    double low = 0;
    double median = 0;
    double high = 0;
};

inline Quartiles quartiles(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t count = values.size();
    return {values[count / 4], values[count / 2], values[count * 3 / 4]};
}

// Milliseconds of one call of `work`, from `batches` batches of `calls` calls each, after a warm-up.
// The device's stream is timed by events; on the host these are wall-clock times.
inline Quartiles time_ms(const std::function<void()>& work, int batches = 9, int calls = 10) {
    const Stream stream = current_stream();
    work();
    synchronize();
    std::vector<double> times;
    for (int batch = 0; batch < batches; ++batch) {
        Event begin;
        Event end;
        begin.record(stream);
        for (int call = 0; call < calls; ++call) work();
        end.record(stream);
        end.synchronize();
        times.push_back(end.elapsed_ms(begin) / calls);
    }
    return quartiles(times);
}

inline double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
}

}  // namespace kgen::bench
