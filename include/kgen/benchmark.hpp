// SPDX-License-Identifier: MIT
//
// benchmark: measures how long a function takes, in the way of nvbench (NVIDIA's benchmark library).
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
    // Current stream while the work runs; current_stream() if not given.
    std::optional<Stream> stream = {};
    // Minimum number of bytes that one call reads and writes, used to compute the bandwidth.
    std::int64_t bytes = 0;
    // Cold samples are taken until there are at least `least_samples` and the noise is at most `most_noise`.
    // No call begins after `most_seconds`, which begin when the first call ends, because that call may compile
    // kernels.
    int least_samples = 31;
    double most_noise = 0.005;
    double most_seconds = 1;
};

struct BenchmarkResult {
    Device device = Device::host();
    // Device time of a single call: the median of samples of one call each. On CUDA the L2 cache is flushed
    // before each sample. All work of a call is queued before the device starts it, so the CPU's launch cost
    // is not included.
    double cold_ms = 0;
    // Time per call if calls run back to back, as in a program: the median of batches. Never less than the
    // CPU time of a call.
    double hot_ms = 0;
    // CPU time of one call in the calling thread: the median. On the host it includes the work itself.
    double cpu_us = 0;
    // Standard deviation of the cold samples divided by their mean.
    double noise = 0;
    // Number of cold samples, at least 1. If the calls to warm up took all the time, the last of them is the
    // sample, measured on the wall clock.
    int samples = 0;
    // True if a call waits for the device or queues more work than a stream can hold. Samples are then
    // measured on the CPU, so cold_ms includes the launches and the wait.
    bool waits = false;
    // BenchmarkOptions::bytes divided by cold_ms, in bytes per second; 0 if no bytes were given.
    double bytes_per_second = 0;
    // Fraction of copy_bytes_per_second() that was reached; 0 if no bytes were given.
    double share_of_copy = 0;
};

// Measures `work`. Calls it twice to warm up, then until there are enough samples. Makes fewer calls if the time
// is up. `work` must do the same in each call, and must either queue its work on the stream or finish it before
// it returns. On the host all times are wall-clock times and no cache is flushed. Throws DeviceError, and any
// exception of `work`.
KGEN_EXPORT BenchmarkResult benchmark(const std::function<void()>& work,
                                      const BenchmarkOptions& options = {});

// Returns the bytes per second that a copy within the device's memory reads plus writes. Most kernels cannot
// exceed this rate. It is measured by the first call for a device and kept until the process ends.
KGEN_EXPORT double copy_bytes_per_second(Device device = current_device());

// Formats a result: "cold 5.92 us, hot 4.10 us, call 1.93 us on cuda:0 (31 samples, noise 0.4%);
// 2834.1 GB/s, 0.667 of a copy", in one line.
KGEN_EXPORT std::string to_text(const BenchmarkResult& result);

}  // namespace kgen
