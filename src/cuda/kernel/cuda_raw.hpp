// SPDX-License-Identifier: MIT
//
// Kernels of the user's own on one GPU: modules, launches with every attribute, occupancy.
#pragma once

#include <mutex>
#include <optional>

#include "cuda/driver/cuda_context.hpp"
#include "cuda/kernel/cuda_raw_kernel.hpp"
#include "device/raw_backend.hpp"

namespace kgen {

class CudaRaw : public RawBackend {
public:
    explicit CudaRaw(const CudaContext& context) : context_(context) {}

    std::shared_ptr<const LoadedModule> load_module(const Image& image,
                                                    const std::string& name) const override;
    void launch(const LoadedKernel& kernel,
                const LaunchConfig& config,
                const void* parameters,
                std::size_t parameters_bytes,
                StreamHandle stream,
                const std::string& kernel_name) const override;
    KernelAttributes attributes(const LoadedKernel& kernel) const override;
    void set(const LoadedKernel& kernel,
             KernelSetting setting,
             int value,
             const std::string& kernel_name) const override;
    int max_blocks_per_processor(const LoadedKernel& kernel,
                                 int block,
                                 std::int64_t shared_bytes) const override;
    int max_clusters(const LoadedKernel& kernel, const LaunchConfig& config) const override;
    SuggestedLaunch suggested_launch(const LoadedKernel& kernel,
                                     std::int64_t shared_bytes,
                                     int most_threads) const override;

private:
    const CudaLaunchLimits& limits() const;
    void allow_shared_bytes(const CudaRawKernel& kernel, std::int64_t bytes) const;
    // As the driver is to be told of it; `attributes` must outlive the result.
    struct Attributes;
    enum class TellCluster : std::uint8_t { never, where_needed, always };
    CUlaunchConfig describe(const CudaRawKernel& kernel,
                            const LaunchConfig& config,
                            const LaunchDims& cluster,
                            StreamHandle stream,
                            Attributes& attributes,
                            TellCluster tell) const;
    // How many clusters the GPU holds at once.
    int count_clusters(const CudaRawKernel& kernel,
                       const LaunchConfig& config,
                       const LaunchDims& cluster) const;
    // Throws DeviceError for a cluster that does not fit, or a cooperative grid that does not.
    void check_fit(const CudaRawKernel& kernel,
                   const LaunchConfig& config,
                   const LaunchDims& cluster,
                   const std::string& name) const;
    [[noreturn]] void refuse_cluster(const CudaRawKernel& kernel,
                                     const LaunchConfig& config,
                                     const LaunchDims& cluster,
                                     const std::string& name) const;

    const CudaContext& context_;
    mutable std::mutex mutex_;
    mutable std::optional<const CudaLaunchLimits>
        limits_;  // guarded by mutex_; stays once it is there
};

}  // namespace kgen
