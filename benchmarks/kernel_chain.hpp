// SPDX-License-Identifier: MIT
//
// A chain of 100 small kernels, replayed as a graph and launched one by one: kgen beside the driver's
// own calls for the same functions with the same parameters, in turn.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/measurement.hpp"

namespace kgen::bench {

struct KernelChain {
    std::string name;
    Quartiles kgen_ms = {};  // of one run of the chain
    Quartiles bare_ms = {};
    double ratio = 0;       // the median of the pairs' kgen by bare
    double most_ratio = 0;  // the target
    bool correct = false;
    std::string problem = {};  // why there are no times, else ""

    std::string_view result() const;
};

// On the current CUDA device.
std::vector<KernelChain> measure_kernel_chains(Scale scale);

}  // namespace kgen::bench
