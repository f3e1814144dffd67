// SPDX-License-Identifier: MIT
//
// The memory bandwidth of this device in this run, measured by the simplest kernels that reach it. Shares
// refer to it.
#pragma once

#include <string>

#include "benchmarks/prepared_case.hpp"

namespace kgen::bench {

// Bandwidths in GB/s (10^9 bytes per second), measured with 1 GiB of float32.
struct Limits {
    double copy = 0;          // a copy within the device; bytes read plus bytes written
    double read = 0;          // a kernel that reads everything and writes almost nothing
    double write_kernel = 0;  // a kernel that only writes
    double write_memset = 0;  // the driver's memset; 0 on the host
    // Returns the greater of the two write bandwidths.

    double write() const;
    // Returns the least time in milliseconds for that traffic. The time per byte is interpolated between
    // reading only, a copy and writing only, by the fraction of bytes that are written.
    double floor_ms(const Traffic& traffic) const;
};

Limits measure_limits(Scale scale);

// Returns the reason if shares of this run mean nothing, else "": an H200 whose copy is below 4200 GB/s is
// shared or throttled. `device` is the name of the device.
std::string reason_void(const Limits& limits, const std::string& device);

}  // namespace kgen::bench
