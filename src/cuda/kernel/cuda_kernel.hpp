// SPDX-License-Identifier: MIT
//
// CudaKernel: a kernel that is loaded on one GPU.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>

#include "cuda/driver/cuda_context.hpp"
#include "cuda/driver/unique_handle.hpp"
#include "device/backend.hpp"
#include "device/image.hpp"

namespace kgen {

// CudaLibrary: the code of an image, loaded by the driver.

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

// Bytes of static and dynamic shared memory of a block that need no request.
inline constexpr int usual_shared_bytes = 48 * 1024;

struct CudaKernel : LoadedKernel {
    void* native_function() const noexcept override { return function; }
    std::size_t accumulator_bytes() const noexcept override { return bytes_of_accumulator; }

    std::shared_ptr<const CudaLibrary> library;  // contains `function`
    CUfunction function = nullptr;
    std::size_t parameter_bytes = 0;  // size of its only parameter; 0 if it has none
    std::size_t bytes_of_accumulator = 0;
    const std::string* name = nullptr;  // lives as long as the backend

    // Raises the limit of dynamic shared memory to `bytes` if it is lower. More than 48 KiB must be requested
    // (CUDA C++ Programming Guide, "Shared Memory" of compute capability 7.0 and newer). Thread-safe.
    CUresult allow_shared_bytes(const DriverApi& api, int bytes) const;
    // Sets the limit to `bytes`, even if it is higher now. Thread-safe.
    CUresult set_shared_bytes_limit(const DriverApi& api, int bytes) const;
    void note_shared_bytes_limit(int bytes) noexcept { shared_bytes_limit_ = bytes; }

    // Must be called after each launch. If the stream is being captured, the graph keeps the code
    // loaded.
    void keep_for_capture(const CudaContext& context, CUstream stream) const {
        if (CudaMemory::is_legacy(stream) || stays_loaded_.load(std::memory_order_relaxed)) return;
        keep_if_captured(context, stream);
    }

private:
    void keep_if_captured(const CudaContext& context, CUstream stream) const;
    CUresult set_limit(const DriverApi& api, int bytes) const;

    mutable std::atomic<int> shared_bytes_limit_ = usual_shared_bytes;
    mutable std::mutex mutex_;
    mutable std::atomic<int> times_asked_ = 0;
    mutable std::atomic<bool> stays_loaded_ = false;
};

// Result of loading an image: the handles, or the failed driver call and its result.
struct CudaLoadResult : CudaLibraryResult {
    CUfunction function = nullptr;
    std::size_t parameter_bytes = 0;
    std::size_t accumulator_bytes = 0;  // 0 if the image names no accumulator
};

// Loads the image's cubin, else its fatbin, else its PTX, and copies the code to the device, so that the
// first launch takes no longer than others. Does not invalidate captures. The context must be current.
CudaLoadResult load_cuda_image(const DriverApi& api, const Image& image);

}  // namespace kgen
