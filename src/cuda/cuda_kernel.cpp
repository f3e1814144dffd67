// SPDX-License-Identifier: MIT
#include "cuda/cuda_kernel.hpp"

#include <array>
#include <vector>

#include "cuda/capture_mode.hpp"

namespace kgen {

namespace {

struct Code {
    const void* bytes = nullptr;
    std::vector<std::byte> terminated;  // PTX is a text that must end in NUL
};

Code code_of(const Image& image) {
    Code code;
    if (const ImageSection* cubin = image.find(ImageKind::cubin)) {
        code.bytes = cubin->bytes.data();
    } else if (const ImageSection* ptx = image.find(ImageKind::ptx)) {
        code.terminated = ptx->bytes;
        code.terminated.push_back(std::byte{0});
        code.bytes = code.terminated.data();
    }
    return code;
}

}  // namespace

CUresult CudaKernel::allow_shared_bytes(const DriverApi& api, int bytes) const {
    if (bytes <= shared_bytes_limit_.load(std::memory_order_relaxed)) return CUDA_SUCCESS;
    // The limit only grows: two threads with different wants must not overtake each other.
    const std::lock_guard lock(mutex_);
    if (bytes <= shared_bytes_limit_.load(std::memory_order_relaxed)) return CUDA_SUCCESS;
    const CUresult result = api.function_set_attribute(
        function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes);
    if (result == CUDA_SUCCESS) shared_bytes_limit_.store(bytes, std::memory_order_relaxed);
    return result;
}

CudaLoadResult load_cuda_image(const DriverApi& api, const Image& image) {
    const Code code = code_of(image);
    CudaLoadResult loaded;
    if (code.bytes == nullptr) {
        loaded.result = CUDA_ERROR_INVALID_IMAGE;
        loaded.call = "cuLibraryLoadData";
        loaded.log = "the image has neither a cubin nor PTX";
        return loaded;
    }

    const RelaxedCapture relaxed(api);
    std::array<char, 4096> log = {};
    std::array<CUjit_option, 2> options = {CU_JIT_ERROR_LOG_BUFFER,
                                           CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(log.size() - 1)};
    CUlibrary library = nullptr;
    CUkernel kernel = nullptr;
    // Each step only if those before it succeeded; the last one that ran is reported.
    const auto step = [&loaded](const char* call, auto&& run) {
        if (loaded.result != CUDA_SUCCESS) return;
        loaded.call = call;
        loaded.result = run();
    };
    step("cuLibraryLoadData", [&] {
        const unsigned count = code.terminated.empty() ? 0 : 2;  // nothing is compiled from a cubin
        return api.library_load_data(
            &library, code.bytes, options.data(), values.data(), count, nullptr, nullptr, 0);
    });
    step("cuLibraryGetKernel",
         [&] { return api.library_get_kernel(&kernel, library, image.symbol.c_str()); });
    step("cuKernelGetFunction", [&] { return api.kernel_get_function(&loaded.function, kernel); });
    // With lazy loading, the default, the code reaches the device only now.
    step("cuFuncLoad", [&] { return api.function_load(loaded.function); });
    std::size_t offset = 0;
    if (loaded.result == CUDA_SUCCESS && !image.accumulator_symbol.empty()) {
        CUkernel accumulator = nullptr;  // takes one as its parameter, and is never launched
        step("cuLibraryGetKernel", [&] {
            return api.library_get_kernel(&accumulator, library, image.accumulator_symbol.c_str());
        });
        step("cuKernelGetParamInfo", [&] {
            return api.kernel_get_param_info(accumulator, 0, &offset, &loaded.accumulator_bytes);
        });
        if (loaded.result != CUDA_SUCCESS)
            loaded.log = "its accumulator '" + image.accumulator_symbol + "'";
    }
    if (loaded.result == CUDA_SUCCESS) {
        if (api.kernel_get_param_info(kernel, 0, &offset, &loaded.parameter_bytes) !=
            CUDA_SUCCESS) {
            loaded.parameter_bytes = 0;
        }
    } else {
        if (loaded.log.empty()) loaded.log = log.data();
        if (library != nullptr) api.library_unload(library);
    }
    return loaded;
}

}  // namespace kgen
