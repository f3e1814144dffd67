// SPDX-License-Identifier: MIT
#include "cli/text/timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace kgen::cli {

namespace {

// Three significant digits: "0.00308", "61.2". Values from 100 on have no decimals: "1234".
std::string digits(double value) {
    return value < 100 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value);
}

}  // namespace

double time_call(const std::function<void()>& call, Device device) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    call();
    synchronize(device);
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

void time_later_calls(Timing& timing, const std::function<void()>& call, Device device) {
    constexpr std::size_t most_calls = 20;
    constexpr double most_ms = 1000;
    std::vector<double> times;
    double total_ms = 0;
    while (times.empty() || (times.size() < most_calls && total_ms < most_ms)) {
        times.push_back(time_call(call, device));
        total_ms += times.back();
    }
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    timing.later_ms = *middle;
    timing.later_calls = static_cast<int>(times.size());
}

std::string to_text(const Timing& timing) {
    return fmt::format("first call {} ms, then {} ms (median of {} call{})",
                       digits(timing.first_ms),
                       digits(timing.later_ms),
                       timing.later_calls,
                       timing.later_calls == 1 ? "" : "s");
}

}  // namespace kgen::cli
