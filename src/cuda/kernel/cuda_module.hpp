// SPDX-License-Identifier: MIT
//
// CudaModule: an image of user-written code (RawModule) on one GPU. Each kernel is loaded when it is first
// requested. Kernels share ownership of the library with the module.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cuda/kernel/cuda_raw_kernel.hpp"
#include "device/loaded_module.hpp"

namespace kgen {

class CudaModule : public LoadedModule {
public:
    // Throws DeviceError if the driver rejects the code. The context must be current; `context` and
    // `limits` must outlive this.
    CudaModule(const CudaContext& context,
               const CudaLaunchLimits& limits,
               const Image& image,
               const std::string& name);

    std::vector<std::string> kernel_symbols() const override;
    std::shared_ptr<const LoadedKernel> kernel(const std::string& symbol) const override;
    std::optional<MemoryRegion> variable(const std::string& symbol) const override;
    std::vector<std::string> variable_symbols() const override;

private:
    // Throws DeviceError like CudaContext::fail(), and explains what the driver's codes mean for a library.
    [[noreturn]] void fail_to_load(CUresult result, const char* call, const std::string& log) const;
    bool has_kernel(const std::string& symbol) const;

    const CudaContext& context_;
    const CudaLaunchLimits& limits_;
    std::string subject_;  // "module 'filters.cu' on cuda:0"
    std::string arch_;     // architecture of the image; may be empty
    std::string ptx_;      // may be empty
    std::vector<LoweredName> lowered_names_;
    std::shared_ptr<const CudaLibrary> library_;
    mutable std::mutex mutex_;
    mutable std::map<std::string, std::shared_ptr<const CudaRawKernel>, std::less<>> kernels_;
};

}  // namespace kgen
