// SPDX-License-Identifier: MIT
//
// The resources that a compiled kernel uses on its device, and a suggested launch configuration.
#pragma once

#include <cstdint>

namespace kgen {

// The fields of cudaFuncAttributes, as the driver reports them. On the host only the two limits,
// max_threads_per_block and max_dynamic_shared_bytes, are set; all other fields are 0.
struct KernelAttributes {
    int max_threads_per_block = 0;     // limit due to its registers
    int registers = 0;                 // per thread
    std::int64_t shared_bytes = 0;     // static shared memory per block
    std::int64_t local_bytes = 0;      // local memory per thread (spills, arrays on the stack)
    std::int64_t constant_bytes = 0;   // constant memory that the user declared
    int ptx_version = 0;               // 90 for compute_90
    int binary_version = 0;            // 90 for sm_90
    int max_dynamic_shared_bytes = 0;  // current limit for one launch, per block
    int shared_carveout = -1;  // preferred shared memory in percent of its maximum; -1: default
};

// The block size with the highest occupancy, and the smallest grid that reaches it on the whole device
// (cuOccupancyMaxPotentialBlockSize).
struct SuggestedLaunch {
    int block = 0;  // threads per block
    int grid = 0;   // blocks
};

}  // namespace kgen
