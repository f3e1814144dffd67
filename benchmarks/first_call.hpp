// SPDX-License-Identifier: MIT
//
// Measures the first call of a kernel in a process that already has its context and arrays, with an empty
// cache (cold) and with a filled one (warm), and compares it with compiling the same source by NVRTC alone.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "benchmarks/measurement.hpp"

namespace kgen::bench {

struct FirstCall {
    std::string what;
    Quartiles ms;
    std::optional<double> most_ms = {};  // the target

    bool meets_target() const { return !most_ms || ms.median <= *most_ms; }
};

// The kind of kernel that is called.
enum class Called { elementwise, reduction, raw };

// Measures on the current device. Each time is from 11 new processes, or from one with Scale::quick. "bare
// compile" is opening NVRTC and compiling, and is measured only on CUDA. Throws Error if a warm call opened
// NVRTC.
std::vector<FirstCall> measure_first_calls(Scale scale);

// Measure in this process. measure_first_calls runs them in new ones, see run_new_process.
nlohmann::ordered_json first_call_here(Called);    // {"first_ms", "second_ms", "nvrtc_is_mapped"}
nlohmann::ordered_json bare_compile_here(Called);  // {"ms"}; not for raw kernels

}  // namespace kgen::bench
