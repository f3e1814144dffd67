// SPDX-License-Identifier: MIT
//
// Which parts of the benchmark run: cases and families by name.
#pragma once

#include <stdexcept>

#include "benchmarks/bench_case.hpp"

namespace kgen::bench {

// A name that is no case and no family. what() lists those there are.
class UnknownCase : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct Selection {
    std::vector<Case> cases;  // whose share of a copy counts
    std::vector<Case> cold;   // CUDA alone
    bool files = false;
    bool transfers = false;  // CUDA alone
    bool first_calls = false;
    bool call_costs = false;     // CUDA alone
    bool kernel_chains = false;  // likewise
    bool host_loops = false;     // the host alone
    bool same_bits = false;
};

// `log2` are the sizes of the cold cases, the usual ones if it is empty. No names: all that the
// device can run. Throws UnknownCase, and DeviceError if a name needs a CUDA device.
Selection select_cases(const std::vector<std::string>& names,
                       const std::vector<int>& log2,
                       DeviceKind device);

// One line for each family: its name and those of its cases. No end of line at the end.
std::string known_names(const std::vector<int>& log2);

}  // namespace kgen::bench
