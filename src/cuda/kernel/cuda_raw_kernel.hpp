// SPDX-License-Identifier: MIT
//
// A kernel of the user's own that is loaded on one GPU, with what its launches are checked against.
#pragma once

#include <kgen/launch_config.hpp>
#include <string>
#include <vector>

#include "cuda/driver/cuda_context.hpp"
#include "cuda/kernel/cuda_kernel.hpp"
#include "cuda/kernel/cuda_launch_limits.hpp"
#include "cuda/kernel/launch_fits.hpp"
#include "cuda/nvrtc/ptx_parameters.hpp"

namespace kgen {

struct CudaRawKernel : CudaKernel {
    std::span<const KernelParameter> parameters() const noexcept override { return table; }
    // Static and dynamic shared memory together have a limit.
    std::int64_t most_dynamic_shared_bytes() const noexcept {
        return limits->shared_bytes - shared_bytes;
    }
    // The name that the user called it by first, for a fault's message.
    const std::string* noted_name(DeviceFault& fault, const std::string& called) const {
        const std::string* noted = noted_name_.load(std::memory_order_relaxed);
        if (noted == nullptr) {
            noted = fault.intern(called);
            noted_name_.store(noted, std::memory_order_relaxed);
        }
        return noted;
    }
    const std::string& known_name() const noexcept {
        const std::string* noted = noted_name_.load(std::memory_order_relaxed);
        return noted == nullptr ? *name : *noted;
    }

    std::vector<KernelParameter> table;
    const CudaLaunchLimits* limits = nullptr;
    int most_threads = 0;  // of a block, with its registers
    int registers = 0;
    int shared_bytes = 0;                // static
    LaunchDims required_cluster;         // (1, 1, 1): none
    bool must_be_given_cluster = false;  // compiled for clusters of a size that launches tell
    mutable LaunchFits fits;

    // Clusters of more than 8 blocks only on request.
    CUresult allow_large_clusters(const DriverApi& api) const;
    int attribute(const CudaContext& context, CUfunction_attribute which) const;
    // Whether the driver must be told of more than the extents, whatever the launch asks for.
    bool brings_cluster() const noexcept { return brings_cluster_; }
    void read_cluster(const CudaContext& context);

private:
    bool brings_cluster_ = false;
    mutable std::atomic<const std::string*> noted_name_ = nullptr;
    mutable std::atomic<bool> allows_large_clusters_ = false;
};

// What is to be known of a kernel whose code is loaded as `function` in `library`. `ptx` may be empty. The context
// must be current.
std::shared_ptr<const CudaRawKernel> read_raw_kernel(const CudaContext& context,
                                                     const CudaLaunchLimits& limits,
                                                     std::shared_ptr<const CudaLibrary> library,
                                                     CUkernel kernel,
                                                     CUfunction function,
                                                     const std::string& symbol,
                                                     std::string_view ptx);

}  // namespace kgen
