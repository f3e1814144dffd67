// SPDX-License-Identifier: MIT
//
// RawBackend: what a device can do with kernels of the user's own. Beside Backend, which has what
// generated kernels need. All functions are thread safe and throw DeviceError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kgen/kernel_attributes.hpp>
#include <kgen/launch_config.hpp>
#include <memory>
#include <string>

#include "device/backend.hpp"
#include "device/loaded_module.hpp"

namespace kgen {

enum class KernelSetting : std::uint8_t { max_dynamic_shared_bytes, shared_carveout };

class RawBackend {
public:
    virtual ~RawBackend() = default;

    // Loads all of the image. DeviceError::code() tells images that the driver rejects; `name` is
    // for messages.
    virtual std::shared_ptr<const LoadedModule> load_module(const Image& image,
                                                            const std::string& name) const = 0;

    // Launches with every attribute of `config` (its stream aside). `parameters` is laid out as the
    // kernel's parameters() say and is copied before the call returns. Checks the limits of the
    // device and of the kernel: a message names both numbers. Launches nothing for an empty grid.
    virtual void launch(const LoadedKernel& kernel,
                        const LaunchConfig& config,
                        const void* parameters,
                        std::size_t parameters_bytes,
                        StreamHandle stream,
                        const std::string& kernel_name) const = 0;

    virtual KernelAttributes attributes(const LoadedKernel& kernel) const = 0;
    virtual void set(const LoadedKernel& kernel,
                     KernelSetting setting,
                     int value,
                     const std::string& kernel_name) const = 0;
    virtual int max_blocks_per_processor(const LoadedKernel& kernel,
                                         int block,
                                         std::int64_t shared_bytes) const = 0;
    virtual int max_clusters(const LoadedKernel& kernel, const LaunchConfig& config) const = 0;
    // `most_threads` 0: no limit of the caller's own.
    virtual SuggestedLaunch suggested_launch(const LoadedKernel& kernel,
                                             std::int64_t shared_bytes,
                                             int most_threads) const = 0;
};

}  // namespace kgen
