// SPDX-License-Identifier: MIT
//
// Small kernels as nvbench times them "cold": each sample alone, the L2 cache flushed before it, the
// stream blocked until all of the sample is queued, so that neither the caches nor the launch count.
#pragma once

#include "benchmarks/measurement.hpp"

namespace kgen::bench {

// Two float32 inputs of 2^log2 elements each: "sqdiff_f32_2^16_cold".
Case cold_case(int log2);

// The sizes that are measured unless others are asked for.
inline constexpr int cold_log2[] = {16, 20, 24};

// Milliseconds of one call of `work`, which must only queue work in the current stream of a CUDA
// device; from 201 samples. Throws DeviceError if `work` waits for the device.
Quartiles cold_time_ms(const std::function<void()>& work);

}  // namespace kgen::bench
