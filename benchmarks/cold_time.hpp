// SPDX-License-Identifier: MIT
//
// Times small kernels as nvbench's "cold" measurement does. Each sample is timed alone: the L2 cache is
// flushed before it, and the stream is blocked until the whole sample is queued, so neither the cache nor the
// launch counts.
#pragma once

#include "benchmarks/measurement.hpp"

namespace kgen::bench {

// Returns the cases for 2^log2 float32 elements: an elementwise kernel with two inputs,
// "sqdiff_f32_2^16_cold", and a sum of squares, "sumsq_f32_2^16_cold". If `log2` is empty, the default sizes
// are used.
std::vector<Case> cold_cases(const std::vector<int>& log2);

// Returns the time of one call of `work` in milliseconds, from 201 samples. `work` must only queue work in
// the current stream of a CUDA device. Throws DeviceError if it waits for the device.
Quartiles cold_time_ms(const std::function<void()>& work);

}  // namespace kgen::bench
