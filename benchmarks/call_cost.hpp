// SPDX-License-Identifier: MIT
//
// Measures the CPU time of a call of kgen beyond a launch of the same function with the same parameters by
// the driver alone, and that of a call with a new shape beyond one with a remembered shape. Bursts of both
// alternate, in new processes.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "benchmarks/bench_case.hpp"

namespace kgen::bench {

struct CallCost {
    std::string name;
    double most_ns = 0;            // the target
    std::vector<double> added_ns;  // by process: median of 61 differences of bursts of 500
    std::vector<double> bare_ns =
        {};  // by process: median of the bursts of the driver or of one shape

    double median_added_ns() const;
    double worst_added_ns() const;
    double median_bare_ns() const;
    bool meets_target() const { return worst_added_ns() <= most_ns; }
};

// Measures on the current CUDA device in 5 new processes, or in one with Scale::quick.
std::vector<CallCost> measure_call_costs(Scale scale);

// Measures in this process. Returns [{"name", "most_ns", "added_ns", "bare_ns"}, ...].
nlohmann::ordered_json call_costs_here();

}  // namespace kgen::bench
