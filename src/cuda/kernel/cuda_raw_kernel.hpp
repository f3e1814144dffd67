// SPDX-License-Identifier: MIT
//
// CudaRawKernel: a raw kernel that is loaded on one GPU, with the limits that its launches are checked
// against.
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
    // The limit applies to the sum of static and dynamic shared memory.
    std::int64_t most_dynamic_shared_bytes() const noexcept {
        return limits->shared_bytes - shared_bytes;
    }
    // Returns the name that the user first called the kernel by, for messages about faults.
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
    // Most threads of a thread block, given the kernel's registers and __launch_bounds__.
    int most_threads = 0;
    int registers = 0;            // registers per thread
    int shared_bytes = 0;         // static shared memory
    LaunchDims required_cluster;  // (1, 1, 1) if the kernel requires none
    // True if the kernel was compiled for clusters whose size each launch must specify.
    bool must_be_given_cluster = false;
    mutable LaunchFits fits;

    // Allows clusters of more than 8 thread blocks, which the driver rejects by default.
    CUresult allow_large_clusters(const DriverApi& api) const;
    int attribute(const CudaContext& context, CUfunction_attribute which) const;
    // Returns true if the kernel was compiled for clusters, so every launch checks and describes them.
    bool brings_cluster() const noexcept { return brings_cluster_; }
    void read_cluster(const CudaContext& context);

private:
    bool brings_cluster_ = false;
    mutable std::atomic<const std::string*> noted_name_ = nullptr;
    mutable std::atomic<bool> allows_large_clusters_ = false;
};

// Reads the parameters and limits of a kernel whose code is loaded as `function` of `library`. `ptx` may be
// empty. The context must be current.
std::shared_ptr<const CudaRawKernel> read_raw_kernel(const CudaContext& context,
                                                     const CudaLaunchLimits& limits,
                                                     std::shared_ptr<const CudaLibrary> library,
                                                     CUkernel kernel,
                                                     CUfunction function,
                                                     const std::string& symbol,
                                                     std::string_view ptx);

}  // namespace kgen
