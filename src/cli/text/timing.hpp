// SPDX-License-Identifier: MIT
//
// How long a call takes, on the wall clock, up to the end of its work on the device.
#pragma once

#include <functional>
#include <kgen/device.hpp>
#include <string>

namespace kgen::cli {

struct Timing {
    double first_ms = 0;  // with whatever is done once: compile or read the cache, load
    double later_ms = 0;  // the median of the calls after it
    int later_calls = 0;
};

double time_call(const std::function<void()>& call, Device device);

// The calls after the first one: up to 20, for about a second, at least one.
void time_later_calls(Timing& timing, const std::function<void()>& call, Device device);

// "first call 61.2 ms, then 0.0123 ms (median of 20 calls)".
std::string to_text(const Timing& timing);

}  // namespace kgen::cli
