// SPDX-License-Identifier: MIT
//
// Measures how long a call takes on the wall clock, until its work on the device is done.
#pragma once

#include <functional>
#include <kgen/device.hpp>
#include <string>

namespace kgen::cli {

struct Timing {
    // Includes what is done once: compiling or reading the cache, and loading.
    double first_ms = 0;
    double later_ms = 0;  // the median of the later calls
    int later_calls = 0;
};

double time_call(const std::function<void()>& call, Device device);

// Times the calls after the first one: up to 20, for about a second, at least one.
void time_later_calls(Timing& timing, const std::function<void()>& call, Device device);

// Returns a text such as "first call 61.2 ms, then 0.0123 ms (median of 20 calls)".
std::string to_text(const Timing& timing);

}  // namespace kgen::cli
