// SPDX-License-Identifier: MIT
//
// What a compiled kernel needs of the device it is loaded on, and how much of it the device holds.
#pragma once

#include <cstdint>

namespace kgen {

// The fields of cudaFuncAttributes, as the driver answers them. On the host: the limits of threads and
// of dynamic shared memory; all else is 0.
struct KernelAttributes {
    int max_threads_per_block = 0;     // with this kernel's registers
    int registers = 0;                 // of a thread
    std::int64_t shared_bytes = 0;     // static shared memory of a block
    std::int64_t local_bytes = 0;      // local memory of a thread (spills, arrays on the stack)
    std::int64_t constant_bytes = 0;   // constant memory that the user declared
    int ptx_version = 0;               // 90 for compute_90
    int binary_version = 0;            // 90 for sm_90
    int max_dynamic_shared_bytes = 0;  // that a launch may ask for as it is set now
    int shared_carveout = -1;          // percent of the shared memory wanted of the L1; -1: default
};

// A block size that keeps the device busy, and the smallest grid that fills it
// (cuOccupancyMaxPotentialBlockSize).
struct SuggestedLaunch {
    int block = 0;  // threads
    int grid = 0;   // blocks
};

}  // namespace kgen
