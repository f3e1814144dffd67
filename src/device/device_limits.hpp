// SPDX-License-Identifier: MIT
//
// Limits: sizes of one device that may affect a launch, but never the generated source.
#pragma once

#include <cstdint>

namespace kgen {

struct Limits {
    int processor_count = 1;  // multiprocessors, or CPU threads
    std::int64_t memory_bytes = 0;
    int max_threads_per_block = 1;
    std::int64_t max_grid_x = 1;
    double memory_speed =
        0;  // most bytes in a nanosecond between memory and the L2 cache; 0 if unknown
};

}  // namespace kgen
