// SPDX-License-Identifier: MIT
//
// Whether reductions give the same bits in every run: each is run many times on the same memory.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/bench_case.hpp"

namespace kgen::bench {

struct SameBits {
    std::string name;  // of the case
    int runs = 0;
    int others = 0;            // runs whose outputs differ from the first one's
    std::string problem = {};  // why there are fewer runs, else ""

    bool is_same() const { return problem.empty() && others == 0; }
};

// 100 runs of cases of every way to fold, among them those that split one output over many blocks.
std::vector<SameBits> measure_same_bits(Scale scale);

}  // namespace kgen::bench
