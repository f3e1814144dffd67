// SPDX-License-Identifier: MIT
//
// Compares loops on the host device with the same loops compiled ahead of time.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kgen::bench {

// The result of one comparison: medians of alternating repetitions, in milliseconds for one pass over the
// arrays. From 64 Ki elements on, the reference runs on as many threads as kgen may use (KGEN_HOST_THREADS).
struct HostLoopRow {
    std::string name;
    int threads = 1;
    double kgen_ms = 0;
    double reference_ms = 0;
    double kgen_cpu_ms = 0;  // all threads together
    double reference_cpu_ms = 0;
    bool equal = false;  // whether both gave the same values, within the row's tolerance
    std::optional<double> least_speed = {};  // the target

    double speed() const { return reference_ms / kgen_ms; }
    // Returns "ok", "below" (the target), "right" (there is no target) or "WRONG".
    std::string_view result() const {
        if (!equal) return "WRONG";
        if (!least_speed) return "right";
        return speed() < *least_speed ? "below" : "ok";
    }
};

// Measures elementwise loops over 4096 x 4096 float32 elements, and over 160 x 200, which fit into the L2
// cache. The reference is a plain loop over rows. For "X.T * Y" it reads X by strides.
std::vector<HostLoopRow> measure_host_loops(int repetitions);

// Measures sums of squares of the same sizes. The reference for the sum of all elements and for the sums of
// rows is written by hand with intrinsics if the CPU has AVX2 and FMA. For the sums of columns it is a plain
// loop.
std::vector<HostLoopRow> measure_host_folds(int repetitions);

}  // namespace kgen::bench
