// SPDX-License-Identifier: MIT
//
// What bounds a launch of a kernel of the user's own on one GPU, checked before the driver is called:
// its answer would be "invalid argument", whatever was wrong.
#pragma once

#include <kgen/launch_config.hpp>
#include <string>

#include "cuda/driver/cuda_context.hpp"

namespace kgen {

struct CudaRawKernel;

constexpr int cluster_capability = 90;

struct CudaLaunchLimits {
    std::string device;  // "cuda:0"
    std::string arch;    // "sm_90"
    int capability = 0;  // 90
    LaunchDims grid;
    LaunchDims block;
    int threads_per_block = 0;
    int registers_per_block = 0;
    int processors = 0;
    int shared_bytes = 0;  // that a block may ask for
    bool has_cooperative_launch = false;
    int least_priority = 0;  // the larger number
    int greatest_priority = 0;

    // The context must be current.
    static CudaLaunchLimits read(const CudaContext& context);
};

// Throws DeviceError, with both numbers, for a grid, a block or shared memory that the GPU or the
// kernel does not have. Returns whether there is anything to launch: not for an empty grid.
bool check_sizes(const CudaRawKernel& kernel, const LaunchConfig& config, const std::string& name);

// Likewise for a cluster, whether or not it fits. Returns it: the kernel's own where none is asked
// for.
LaunchDims check_cluster(const CudaRawKernel& kernel,
                         const LaunchConfig& config,
                         const std::string& name);
// Likewise for a grid that is no whole number of clusters, and for what else a launch may ask for.
void check_features(const CudaRawKernel& kernel,
                    const LaunchConfig& config,
                    const LaunchDims& cluster,
                    const std::string& name);

}  // namespace kgen
