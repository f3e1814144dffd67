// SPDX-License-Identifier: MIT
//
// The limits of raw kernel launches on one GPU. kgen checks them before it calls the driver, because the
// driver reports every violation as "invalid argument".
#pragma once

#include <kgen/launch_config.hpp>
#include <string>

#include "cuda/driver/cuda_context.hpp"

namespace kgen {

struct CudaRawKernel;

constexpr int cluster_capability = 90;  // least compute capability with thread block clusters

struct CudaLaunchLimits {
    std::string device;  // "cuda:0"
    std::string arch;    // "sm_90"
    int capability = 0;  // 90
    LaunchDims grid;
    LaunchDims block;
    int threads_per_block = 0;
    int registers_per_block = 0;
    int processors = 0;
    int shared_bytes = 0;  // most shared memory of a thread block, static and dynamic together
    bool has_cooperative_launch = false;
    int least_priority = 0;  // numerically larger than greatest_priority
    int greatest_priority = 0;

    // Reads the limits from the driver. The context must be current.
    static CudaLaunchLimits read(const CudaContext& context);
};

// Throws LaunchError if the grid, the thread block or the shared memory exceeds a limit of the GPU or of the
// kernel. The message names the requested number and the limit. Returns false if the grid is empty.
bool check_sizes(const CudaRawKernel& kernel, const LaunchConfig& config, const std::string& name);

// Returns the cluster of the launch: the requested one, or the kernel's own if none is requested. Throws
// LaunchError if it is not valid. Does not check whether the GPU has room for it.
LaunchDims check_cluster(const CudaRawKernel& kernel,
                         const LaunchConfig& config,
                         const std::string& name);
// Throws DeviceError if the cluster does not divide the grid, or if the GPU lacks a requested launch feature
// (cooperative launch, programmatic dependent launch).
void check_features(const CudaRawKernel& kernel,
                    const LaunchConfig& config,
                    const LaunchDims& cluster,
                    const std::string& name);

}  // namespace kgen
