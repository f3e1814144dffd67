// SPDX-License-Identifier: MIT
//
// Selects the parts of the benchmark that run, by the names of cases and families.
#pragma once

#include <stdexcept>

#include "benchmarks/bench_case.hpp"
#include "benchmarks/random_calls.hpp"
#include "benchmarks/statements.hpp"

namespace kgen::bench {

// The error for a name that is neither a case nor a family. what() lists the known names.
class UnknownCase : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct Selection {
    std::vector<Case> cases;  // cases that are measured as a share of a copy
    std::vector<Case> cold;   // CUDA only
    bool files = false;
    bool transfers = false;   // CUDA only
    bool gpu_copies = false;  // two GPUs that can access each other's memory only
    bool first_calls = false;
    bool call_costs = false;     // CUDA only
    bool kernel_chains = false;  // CUDA only
    bool host_loops = false;     // host only
    bool same_bits = false;
    std::optional<RandomSelection> random = {};
    std::vector<StatementCase> statements = {};
};

// Returns the selected parts, or everything that the device can run if `names` is empty. `log2` has the sizes
// of the cold cases; if it is empty, the default sizes are used. Throws UnknownCase, and DeviceError if a
// name needs a CUDA device.
Selection select_cases(const std::vector<std::string>& names,
                       const std::vector<int>& log2,
                       DeviceKind device);

// Returns a line for each family with its name and the names of its cases. The last line has no newline.
std::string known_names(const std::vector<int>& log2);

}  // namespace kgen::bench
