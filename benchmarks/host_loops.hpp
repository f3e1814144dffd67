// SPDX-License-Identifier: MIT
//
// Loops on the host device beside the same loops compiled ahead of time.
#pragma once

#include <string>
#include <vector>

namespace kgen::bench {

// Medians of interleaved repetitions; milliseconds of one pass over the arrays. The reference runs on
// as many threads as kgen may use (KGEN_HOST_THREADS), from 64 Ki elements on.
struct HostLoopRow {
    std::string name;
    int threads = 1;
    double kgen_ms = 0;
    double reference_ms = 0;
    double kgen_cpu_ms = 0;  // of all threads
    double reference_cpu_ms = 0;
    bool equal =
        false;  // whether both gave the same values, up to the bound of the row's functions

    double speed() const { return reference_ms / kgen_ms; }
};

// On every size: 4096 x 4096 and 160 x 200 float32 (in the L2 cache). The reference is the plain
// loop over rows; for "X.T * Y" that is a strided walk of X.
std::vector<HostLoopRow> measure_host_loops(int repetitions);

}  // namespace kgen::bench
