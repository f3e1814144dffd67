// SPDX-License-Identifier: MIT
//
// Runs the kernels of raw programs on the CPU.
#pragma once

#include "device/raw_backend.hpp"

namespace kgen {

class HostRaw : public RawBackend {
public:
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
};

}  // namespace kgen
