// SPDX-License-Identifier: MIT
//
// Measures a chain of 100 small kernels, replayed as a graph and launched one by one. kgen and the driver
// alone alternate, with the same functions and parameters.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/measurement.hpp"

namespace kgen::bench {

struct KernelChain {
    std::string name;
    Quartiles kgen_ms = {};  // one run of the chain
    Quartiles bare_ms = {};  // the same by the driver alone
    double ratio = 0;        // median of kgen's time divided by the driver's, over pairs of runs
    double most_ratio = 0;   // the target
    bool correct = false;
    std::string problem = {};  // the reason if there are no times, else empty

    std::string_view result() const;
};

// Measures on the current CUDA device.
std::vector<KernelChain> measure_kernel_chains(Scale scale);

}  // namespace kgen::bench
