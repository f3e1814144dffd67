// SPDX-License-Identifier: MIT
//
// What the first call of a kernel costs in a process whose context and arrays are there already:
// with an empty cache (cold) and with a filled one (warm), beside compiling the same source bare.
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

// Which kernel is called.
enum class Called { elementwise, reduction, raw };

// On the current device, each from 11 new processes in turn, of one with Scale::quick. "bare
// compile" (opening NVRTC and compiling, nothing else) on CUDA alone. Throws Error if a warm call
// opened NVRTC.
std::vector<FirstCall> measure_first_calls(Scale scale);

// What the new processes do: see run_new_process.
nlohmann::ordered_json first_call_here(Called);    // {"first_ms", "second_ms", "nvrtc_is_mapped"}
nlohmann::ordered_json bare_compile_here(Called);  // {"ms"}; not of raw kernels

}  // namespace kgen::bench
