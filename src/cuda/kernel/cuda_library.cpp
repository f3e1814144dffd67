// SPDX-License-Identifier: MIT
#include "cuda/kernel/cuda_library.hpp"

#include <array>
#include <vector>

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

}  // namespace kgen
