// SPDX-License-Identifier: MIT
#include "cuda/kernel/cuda_module.hpp"

#include <fmt/format.h>

#include "cuda/kernel/cuda_kernel.hpp"
#include "cuda/nvrtc/ptx_parameters.hpp"

namespace kgen {

CudaModule::CudaModule(const CudaContext& context,
                       const CudaLaunchLimits& limits,
                       const Image& image,
                       const std::string& name)
    : context_(context),
      limits_(limits),
      subject_(fmt::format("module '{}' on {}", name, context.text())),
      arch_(image.target.arch),
      lowered_names_(image.lowered_names) {
    if (const ImageSection* ptx = image.find(ImageKind::ptx))
        ptx_.assign(reinterpret_cast<const char*>(ptx->bytes.data()), ptx->bytes.size());
    CudaLibraryResult loaded = load_cuda_library(context_.api(), image);
    if (loaded.result != CUDA_SUCCESS) fail_to_load(loaded.result, loaded.call, loaded.log);
    library_ = std::make_shared<const CudaLibrary>(context_, loaded.library.release());
}

void CudaModule::fail_to_load(CUresult result, const char* call, const std::string& log) const {
    if (result == CUDA_ERROR_NO_BINARY_FOR_GPU) {
        const bool is_other = !arch_.empty() && arch_ != limits_.arch;
        throw DeviceError(
            is_other
                ? fmt::format(
                      "{}: its code is for {}, but the GPU is {}", subject_, arch_, limits_.arch)
                : fmt::format(
                      "{}: it has no code for the GPU, which is {}", subject_, limits_.arch),
            call,
            result);
    }
    if (result == CUDA_ERROR_UNSUPPORTED_PTX_VERSION) {
        throw DeviceError(
            fmt::format(
                "{}: its PTX is newer than the driver, which is for CUDA {}: install a newer "
                "driver, or compile with an older toolkit",
                subject_,
                cuda_version_text(context_.driver().version())),
            call,
            result);
    }
    if (DeviceFault::is_sticky(result)) context_.fail(result, call, subject_);
    std::string message =
        fmt::format("{}: {} failed: {}", subject_, call, context_.driver().describe(result));
    if (!log.empty()) message += "\n" + log.substr(0, log.find_last_not_of("\n") + 1);
    throw DeviceError(message, call, result);
}

std::vector<std::string> CudaModule::kernel_symbols() const {
    const DriverApi& api = context_.api();
    const CudaContext::Entered entered = context_.enter();
    std::vector<std::string> symbols;
    if (api.library_get_kernel_count == nullptr || api.library_enumerate_kernels == nullptr ||
        api.kernel_get_name == nullptr) {
        for (const LoweredName& each : lowered_names_) {
            if (has_kernel(each.symbol)) symbols.push_back(each.symbol);
        }
        return symbols;
    }
    unsigned count = 0;
    context_.check(api.library_get_kernel_count(&count, library_->handle()),
                   "cuLibraryGetKernelCount");
    std::vector<CUkernel> kernels(count);
    if (count == 0) return symbols;
    context_.check(api.library_enumerate_kernels(kernels.data(), count, library_->handle()),
                   "cuLibraryEnumerateKernels");
    for (CUkernel kernel : kernels) {
        const char* name = nullptr;
        context_.check(api.kernel_get_name(&name, kernel), "cuKernelGetName");
        symbols.emplace_back(name);
    }
    return symbols;
}

bool CudaModule::has_kernel(const std::string& symbol) const {
    CUkernel kernel = nullptr;
    return context_.api().library_get_kernel(&kernel, library_->handle(), symbol.c_str()) ==
           CUDA_SUCCESS;
}

std::shared_ptr<const LoadedKernel> CudaModule::kernel(const std::string& symbol) const {
    const DriverApi& api = context_.api();
    const CudaContext::Entered entered = context_.enter();
    const std::lock_guard lock(mutex_);
    const auto known = kernels_.find(symbol);
    if (known != kernels_.end()) return known->second;
    CUkernel found = nullptr;
    CUresult result = api.library_get_kernel(&found, library_->handle(), symbol.c_str());
    if (result == CUDA_ERROR_NOT_FOUND) return nullptr;
    if (result != CUDA_SUCCESS) fail_to_load(result, "cuLibraryGetKernel", {});
    CUfunction function = nullptr;
    result = api.kernel_get_function(&function, found);
    if (result != CUDA_SUCCESS) fail_to_load(result, "cuKernelGetFunction", {});
    // With lazy loading, the default, this call copies the code to the device.
    result = api.function_load(function);
    if (result != CUDA_SUCCESS) fail_to_load(result, "cuFuncLoad", {});
    auto kernel = read_raw_kernel(context_, limits_, library_, found, function, symbol, ptx_);
    kernels_.emplace(symbol, kernel);
    return kernel;
}

std::optional<MemoryRegion> CudaModule::variable(const std::string& symbol) const {
    const DriverApi& api = context_.api();
    const CudaContext::Entered entered = context_.enter();
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    const char* call = "cuLibraryGetGlobal";
    CUresult result = api.library_get_global(&address, &bytes, library_->handle(), symbol.c_str());
    if (result == CUDA_ERROR_NOT_FOUND && api.library_get_managed != nullptr) {
        call = "cuLibraryGetManaged";
        result = api.library_get_managed(&address, &bytes, library_->handle(), symbol.c_str());
    }
    if (result == CUDA_ERROR_NOT_FOUND) return {};
    if (result != CUDA_SUCCESS) context_.fail(result, call, subject_);
    return MemoryRegion{reinterpret_cast<void*>(address), bytes};
}

std::vector<std::string> CudaModule::variable_symbols() const {
    return ptx_variables(ptx_);
}

}  // namespace kgen
