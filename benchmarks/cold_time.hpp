// SPDX-License-Identifier: MIT
//
// Small kernels as nvbench times them "cold": each sample alone, the L2 cache flushed before it, the
// stream blocked until all of the sample is queued, so that neither the caches nor the launch count.
#pragma once

#include "benchmarks/measurement.hpp"

namespace kgen::bench {

// Of 2^log2 float32 elements: two inputs element by element, "sqdiff_f32_2^16_cold", and the full sum of
// squares, "sumsq_f32_2^16_cold". No sizes: those that are usual.
std::vector<Case> cold_cases(const std::vector<int>& log2);

// Milliseconds of one call of `work`, which must only queue work in the current stream of a CUDA
// device; from 201 samples. Throws DeviceError if `work` waits for the device.
Quartiles cold_time_ms(const std::function<void()>& work);

}  // namespace kgen::bench
