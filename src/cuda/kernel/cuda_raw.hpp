// SPDX-License-Identifier: MIT
//
// CudaRaw: the RawBackend of one GPU. It loads modules, launches raw kernels with all launch attributes, and
// computes their occupancy.
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
    int max_blocks_per_multiprocessor(const LoadedKernel& kernel,
                                      int block,
                                      std::int64_t shared_bytes) const override;
    int max_clusters(const LoadedKernel& kernel, const LaunchConfig& config) const override;
    SuggestedLaunch suggested_launch(const LoadedKernel& kernel,
                                     std::int64_t shared_bytes,
                                     int most_threads) const override;

private:
    const CudaLaunchLimits& limits() const;
    void allow_shared_bytes(const CudaRawKernel& kernel, std::int64_t bytes) const;
    struct Attributes;
    // When describe() adds the cluster size to the launch attributes. `where_needed`: if the cluster has more
    // than one block or the kernel requires the attribute. The size is never added if the kernel was compiled
    // for a fixed cluster.
    enum class TellCluster : std::uint8_t { never, where_needed, always };
    // Returns the launch as the driver expects it. `attributes` must outlive the result.
    CUlaunchConfig describe(const CudaRawKernel& kernel,
                            const LaunchConfig& config,
                            const LaunchDims& cluster,
                            StreamHandle stream,
                            Attributes& attributes,
                            TellCluster tell) const;
    // Returns the number of clusters that can run on the GPU at the same time.
    int count_clusters(const CudaRawKernel& kernel,
                       const LaunchConfig& config,
                       const LaunchDims& cluster) const;
    // Throws LaunchError if a cluster, or a cooperative grid, is larger than the GPU can run at once.
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
    // Guarded by mutex_ until it is set; then it never changes.
    mutable std::optional<const CudaLaunchLimits> limits_;
};

}  // namespace kgen
