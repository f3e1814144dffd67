// SPDX-License-Identifier: MIT
//
// CudaLibrary: the code of an image, loaded by the driver.
#pragma once

#include <string>

#include "cuda/driver/cuda_context.hpp"
#include "cuda/driver/unique_handle.hpp"
#include "device/image.hpp"

namespace kgen {

using UniqueLibrary = UniqueHandle<CUlibrary, decltype(DriverApi::library_unload)>;

struct CudaLibraryResult {
    UniqueLibrary library;  // nullptr if a call failed
    CUresult result = CUDA_SUCCESS;
    const char* call = "cuLibraryLoadData";  // the call that returned `result`
    std::string log;                         // messages of the driver's PTX compiler
};

// Owns a CUlibrary, which all kernels of an image share. The destructor only queues the library, because
// unloading it would wait for the device. The next call that waits for the device anyway unloads it
// (CudaContext::unload_later).
class CudaLibrary {
public:
    // `context` must outlive this.
    CudaLibrary(const CudaContext& context, CUlibrary library)
        : context_(context), library_(library) {}
    ~CudaLibrary() { context_.unload_later(library_); }
    CudaLibrary(const CudaLibrary&) = delete;
    CudaLibrary& operator=(const CudaLibrary&) = delete;

    CUlibrary handle() const noexcept { return library_; }

private:
    const CudaContext& context_;
    CUlibrary library_;
};

// Loads the image's cubin, else its fatbin, else its PTX. The context must be current.
CudaLibraryResult load_cuda_library(const DriverApi& api, const Image& image);

}  // namespace kgen
