// SPDX-License-Identifier: MIT
//
// HostModule: a loaded raw program. Its table (HostRawTable) names its kernels and variables.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/image.hpp"
#include "device/loaded_module.hpp"
#include "host/compile/static_shared_bytes.hpp"
#include "host/kernel/host_raw_abi.hpp"
#include "host/kernel/shared_object.hpp"

namespace kgen {

struct HostRawKernel : LoadedKernel {
    std::shared_ptr<const SharedObject> object;  // owns what the next two point to
    const HostRawTable* table = nullptr;
    const HostRawRow* row = nullptr;
    StaticSharedBytes shared_bytes;
    std::vector<KernelParameter> its_parameters;
    std::span<const KernelParameter> parameters() const noexcept override { return its_parameters; }
};

class HostModule : public LoadedModule {
public:
    // `name` is for messages. Throws DeviceError if the image is for another machine or cannot be loaded.
    HostModule(const Image& image, const std::string& name);

    std::vector<std::string> kernel_symbols() const override;
    std::shared_ptr<const LoadedKernel> kernel(const std::string& symbol) const override;
    std::optional<MemoryRegion> variable(const std::string& symbol) const override;
    std::vector<std::string> variable_symbols() const override;

private:
    std::shared_ptr<const SharedObject> object_;
    std::map<std::string, std::shared_ptr<const HostRawKernel>> kernels_;
    std::map<std::string, MemoryRegion> variables_;
};

}  // namespace kgen
