// SPDX-License-Identifier: MIT
//
// Checks that reductions give the same bits in every run. Each is run many times with the same input.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/bench_case.hpp"

namespace kgen::bench {

struct SameBits {
    std::string name;  // name of the case
    int runs = 0;
    int others = 0;            // runs whose outputs differ from those of the first run
    std::string problem = {};  // the reason if there are fewer runs, else empty

    bool is_same() const { return problem.empty() && others == 0; }
};

// Runs cases of every kind of reduction loop 100 times, among them cases in which many blocks fold one
// output.
std::vector<SameBits> measure_same_bits(Scale scale);

}  // namespace kgen::bench
