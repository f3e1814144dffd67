// SPDX-License-Identifier: MIT
//
// RawBackend: the interface to a device for raw kernels, which the user writes whole. Backend has the
// functions for generated kernels. All functions are thread safe and throw DeviceError.
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

    // Loads the whole image. If the driver rejects the image, DeviceError::code() is its error code. `name`
    // is for messages.
    virtual std::shared_ptr<const LoadedModule> load_module(const Image& image,
                                                            const std::string& name) const = 0;

    // Launches with every attribute of `config` except its stream. `parameters` has the layout that the
    // kernel's parameters() describe, and is copied before the call returns. Throws if a size exceeds a limit
    // of the device or kernel; the message names the size and the limit. An empty grid launches nothing.
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
    virtual int max_blocks_per_multiprocessor(const LoadedKernel& kernel,
                                              int block,
                                              std::int64_t shared_bytes) const = 0;
    virtual int max_clusters(const LoadedKernel& kernel, const LaunchConfig& config) const = 0;
    // `most_threads` limits the threads of a block; 0 means no limit by the caller.
    virtual SuggestedLaunch suggested_launch(const LoadedKernel& kernel,
                                             std::int64_t shared_bytes,
                                             int most_threads) const = 0;
};

}  // namespace kgen
