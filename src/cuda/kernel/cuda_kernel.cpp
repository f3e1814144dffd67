// SPDX-License-Identifier: MIT
#include "cuda/kernel/cuda_kernel.hpp"

#include <array>
#include <vector>

#include "device/capture_record.hpp"

namespace kgen {

namespace {

struct Code {
    const void* bytes = nullptr;
    std::vector<std::byte> terminated;  // PTX with a terminating NUL, which the driver needs
};

Code code_of(const Image& image) {
    Code code;
    const ImageSection* binary = image.find(ImageKind::cubin);
    if (binary == nullptr) binary = image.find(ImageKind::fatbin);
    if (binary != nullptr) {
        code.bytes = binary->bytes.data();
    } else if (const ImageSection* ptx = image.find(ImageKind::ptx)) {
        code.terminated = ptx->bytes;
        code.terminated.push_back(std::byte{0});
        code.bytes = code.terminated.data();
    }
    return code;
}

}  // namespace

CudaLibraryResult load_cuda_library(const DriverApi& api, const Image& image) {
    const Code code = code_of(image);
    CudaLibraryResult loaded;
    if (code.bytes == nullptr) {
        loaded.result = CUDA_ERROR_INVALID_IMAGE;
        loaded.log = "the image has neither a cubin nor PTX";
        return loaded;
    }
    std::array<char, 4096> log = {};
    std::array<CUjit_option, 2> options = {CU_JIT_ERROR_LOG_BUFFER,
                                           CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(log.size() - 1)};
    // The options of the PTX compiler are not needed for a cubin.
    const unsigned count = image.find(ImageKind::cubin) != nullptr ? 0 : 2;
    CUlibrary library = nullptr;
    loaded.result = api.library_load_data(
        &library, code.bytes, options.data(), values.data(), count, nullptr, nullptr, 0);
    if (loaded.result == CUDA_SUCCESS) loaded.library = {library, {api.library_unload}};
    if (loaded.result == CUDA_SUCCESS && count != 0) {
        // With lazy loading the driver compiles on first use. This call makes it compile while `log` exists.
        CUmodule module = nullptr;
        loaded.call = "cuLibraryGetModule";
        loaded.result = api.library_get_module(&module, library);
    }
    if (loaded.result != CUDA_SUCCESS) {
        loaded.library = nullptr;
        loaded.log = log.data();
    }
    return loaded;
}

namespace {

// Asking the driver whether a stream is being captured takes 30 ns of a launch's 2 us (H100). After so many
// launches on streams other than the legacy default stream, kgen stops asking and the kernel stays loaded.
constexpr int most_times_asked = 256;

}  // namespace

CUresult CudaKernel::allow_shared_bytes(const DriverApi& api, int bytes) const {
    if (bytes <= shared_bytes_limit_.load(std::memory_order_relaxed)) return CUDA_SUCCESS;
    // Launches only raise the limit, so that one thread does not lower it below what another one has
    // requested.
    const std::lock_guard lock(mutex_);
    if (bytes <= shared_bytes_limit_.load(std::memory_order_relaxed)) return CUDA_SUCCESS;
    return set_limit(api, bytes);
}

CUresult CudaKernel::set_shared_bytes_limit(const DriverApi& api, int bytes) const {
    const std::lock_guard lock(mutex_);
    return set_limit(api, bytes);
}

CUresult CudaKernel::set_limit(const DriverApi& api, int bytes) const {
    const CUresult result = api.function_set_attribute(
        function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes);
    if (result == CUDA_SUCCESS) shared_bytes_limit_.store(bytes, std::memory_order_relaxed);
    return result;
}

void CudaKernel::keep_if_captured(const CudaContext& context, CUstream stream) const {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    // If the GPU is lost, a later call that may throw reports it.
    if (context.api().stream_is_capturing(stream, &status) != CUDA_SUCCESS) return;
    const bool is_captured = status != CU_STREAM_CAPTURE_STATUS_NONE;
    CaptureRecord* const record = CaptureRecord::of_this_thread();
    if (is_captured && record != nullptr) {
        record->keep_object(shared_from_this());
        return;
    }
    const bool is_often =
        times_asked_.fetch_add(1, std::memory_order_relaxed) + 1 >= most_times_asked;
    if (!is_captured && !is_often) return;
    // Another library is capturing this stream, or may capture it later when kgen does not ask any more.
    if (!stays_loaded_.exchange(true)) context.never_unload(library);
}

CudaLoadResult load_cuda_image(const DriverApi& api, const Image& image) {
    CudaLoadResult loaded{load_cuda_library(api, image)};
    CUkernel kernel = nullptr;
    // Runs a step only if all previous steps succeeded. The result holds the last step that ran.
    const auto step = [&loaded](const char* call, auto&& run) {
        if (loaded.result != CUDA_SUCCESS) return;
        loaded.call = call;
        loaded.result = run();
    };
    step("cuLibraryGetKernel", [&] {
        return api.library_get_kernel(&kernel, loaded.library.get(), image.symbol.c_str());
    });
    step("cuKernelGetFunction", [&] { return api.kernel_get_function(&loaded.function, kernel); });
    // With lazy loading, the default, this call copies the code to the device.
    step("cuFuncLoad", [&] { return api.function_load(loaded.function); });
    std::size_t offset = 0;
    if (loaded.result == CUDA_SUCCESS && !image.accumulator_symbol.empty()) {
        CUkernel accumulator = nullptr;  // its parameter is an accumulator; never launched
        step("cuLibraryGetKernel", [&] {
            return api.library_get_kernel(
                &accumulator, loaded.library.get(), image.accumulator_symbol.c_str());
        });
        step("cuKernelGetParamInfo", [&] {
            return api.kernel_get_param_info(accumulator, 0, &offset, &loaded.accumulator_bytes);
        });
        if (loaded.result != CUDA_SUCCESS)
            loaded.log = "its accumulator '" + image.accumulator_symbol + "'";
    }
    if (loaded.result == CUDA_SUCCESS &&
        api.kernel_get_param_info(kernel, 0, &offset, &loaded.parameter_bytes) != CUDA_SUCCESS) {
        loaded.parameter_bytes = 0;
    }
    return loaded;
}

}  // namespace kgen
