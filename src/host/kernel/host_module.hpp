// SPDX-License-Identifier: MIT
//
// Loaded raw programs. The table of a program (HostRawTable) names its kernels and variables.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/image.hpp"
#include "device/loaded_module.hpp"
#include "host/kernel/host_raw_abi.hpp"
#include "host/kernel/shared_object.hpp"

namespace kgen {

// The size of a kernel's __shared__ variables.
struct StaticSharedBytes {
    std::int64_t own = 0;
    // Includes the variables of all functions that are not kernels, because it is unknown which of them the
    // kernel calls.
    std::int64_t all = 0;
};

struct HostRawKernel : LoadedKernel {
    std::shared_ptr<const SharedObject> object;  // owns what the next two point to
    const HostRawTable* table = nullptr;
    const HostRawRow* row = nullptr;
    StaticSharedBytes shared_bytes;
    std::vector<KernelParameter> its_parameters;
    std::span<const KernelParameter> parameters() const noexcept override { return its_parameters; }
};

// `name` is for messages. Throws DeviceError if the image is for another machine or cannot be loaded.
std::shared_ptr<const LoadedModule> load_host_module(const Image& image, const std::string& name);

}  // namespace kgen
