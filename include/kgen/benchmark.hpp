// SPDX-License-Identifier: MIT
//
// benchmark: how long a piece of work takes, measured as nvbench does.
//
//     Array z = empty(x.shape(), float32);
//     BenchmarkResult result = benchmark([&] { kernel(x, y, out(z)); },
//                                        {.bytes = 3 * x.size_bytes()});
//     fmt::print("{}\n", to_text(result));
#pragma once

#include <cstdint>
#include <functional>
#include <kgen/device.hpp>
#include <kgen/export.hpp>
#include <kgen/stream.hpp>
#include <optional>
#include <string>

namespace kgen {

struct BenchmarkOptions {
    // Current while the work runs; current_stream() unless given.
    std::optional<Stream> stream = {};
    // What one call reads and writes at least, for the bandwidth.
    std::int64_t bytes = 0;
    // Cold samples are taken until there are so many and `noise` is low enough, or until the time is up.
    int least_samples = 31;
    double most_noise = 0.005;
    double most_seconds = 1;
};

struct BenchmarkResult {
    Device device = Device::host();
    // What the device needs for one call, alone: the median of samples of one call each. On CUDA the
    // L2 cache is flushed before each, and all of its work is queued before it begins, so that what a
    // launch costs the CPU does not count.
    double cold_ms = 0;
    // The same of calls that follow each other, as a program makes them: the median of batches. Not
    // less than what the CPU needs for a call.
    double hot_ms = 0;
    // What one call costs the thread that makes it: the median. On the host that is the work itself.
    double cpu_us = 0;
    // The standard deviation of the cold samples by their mean.
    double noise = 0;
    int samples = 0;  // cold ones
    // Whether a call waits for the device, or gives it more than a stream can queue: then its samples
    // begin and end on the CPU, and cold_ms holds the launches and the wait too.
    bool waits = false;
    // BenchmarkOptions::bytes a second, by cold_ms; 0 where no bytes were given.
    double bytes_per_second = 0;
    // That by copy_bytes_per_second().
    double share_of_copy = 0;
};

// Calls `work` as often as it takes, and at least twice before it is measured. It must do the same each
// time, and give its work to the stream or finish it. On the host all times are wall-clock times, and
// no cache is flushed. Throws DeviceError, and what `work` throws.
KGEN_EXPORT BenchmarkResult benchmark(const std::function<void()>& work,
                                      const BenchmarkOptions& options = {});

// What a copy within the device's memory reads and writes a second, together: the most that most
// kernels can reach. Measured by the first call for a device, and kept to the end of the process.
KGEN_EXPORT double copy_bytes_per_second(Device device = current_device());

// "cold 5.92 us, hot 4.10 us, call 1.93 us on cuda:0 (31 samples, noise 0.4%); 2834.1 GB/s, 0.667 of a copy".
KGEN_EXPORT std::string to_text(const BenchmarkResult& result);

}  // namespace kgen
