// SPDX-License-Identifier: MIT
//
// What the memory of this device gives in this run, by the plainest best means: the measure of all
// shares.
#pragma once

#include <string>

#include "benchmarks/prepared_case.hpp"

namespace kgen::bench {

// GB/s, 10^9 bytes a second, of 1 GiB float32.
struct Limits {
    double copy = 0;          // within the device, read + write
    double read = 0;          // a kernel that reads all and writes almost nothing
    double write_kernel = 0;  // a kernel that only writes
    double write_memset = 0;  // the driver's; 0 on the host

    double write() const;
    // The least time for that traffic: by the share of what is written, between the read-only
    // limit, the copy and the write-only limit.
    double floor_ms(const Traffic& traffic) const;
};

Limits measure_limits(Scale scale);

// Why shares of this run mean nothing, else "": an H200 whose copy is below 4200 GB/s is not alone
// or throttled. `device` is its name.
std::string reason_void(const Limits& limits, const std::string& device);

}  // namespace kgen::bench
