// SPDX-License-Identifier: MIT
//
// What a call of kgen costs the CPU beyond the driver's own launch of the same function with the
// same parameters: paired bursts in turn, in new processes.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "benchmarks/bench_case.hpp"

namespace kgen::bench {

struct CallCost {
    std::string name;
    double most_ns = 0;                // the target
    std::vector<double> added_ns;      // a process: the median of 61 differences of bursts of 500
    std::vector<double> bare_ns = {};  // a process: the median of the bare bursts

    double median_added_ns() const;
    double worst_added_ns() const;
    double median_bare_ns() const;
    bool meets_target() const { return worst_added_ns() <= most_ns; }
};

// On the current CUDA device, from 5 new processes; from one with Scale::quick.
std::vector<CallCost> measure_call_costs(Scale scale);

// What each new process does: [{"name", "most_ns", "added_ns", "bare_ns"}, ...].
nlohmann::ordered_json call_costs_here();

}  // namespace kgen::bench
