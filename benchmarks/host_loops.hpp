// SPDX-License-Identifier: MIT
//
// Loops on the host device beside the same loops compiled ahead of time.
#pragma once

#include <optional>
#include <string>
#include <string_view>
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
    std::optional<double> least_speed = {};  // the target

    double speed() const { return reference_ms / kgen_ms; }
    // "ok", "below" the target, "right" where there is none, "WRONG".
    std::string_view result() const {
        if (!equal) return "WRONG";
        if (!least_speed) return "right";
        return speed() < *least_speed ? "below" : "ok";
    }
};

// On every size: 4096 x 4096 and 160 x 200 float32 (in the L2 cache). The reference is the plain
// loop over rows; for "X.T * Y" that is a strided walk of X.
std::vector<HostLoopRow> measure_host_loops(int repetitions);

// Sums of squares of the same sizes: of all, beside intrinsics written by hand where the CPU has AVX2
// and FMA; of rows beside the same; of columns beside a plain loop.
std::vector<HostLoopRow> measure_host_folds(int repetitions);

}  // namespace kgen::bench
