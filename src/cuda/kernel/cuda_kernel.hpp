// SPDX-License-Identifier: MIT
//
// A kernel that is loaded on one GPU.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>

#include "cuda/kernel/cuda_library.hpp"
#include "device/backend.hpp"

namespace kgen {

struct CudaKernel : LoadedKernel {
    void* native_function() const noexcept override { return function; }
    std::size_t accumulator_bytes() const noexcept override { return bytes_of_accumulator; }

    std::shared_ptr<const CudaLibrary> library;  // where `function` is
    CUfunction function = nullptr;
    std::size_t parameter_bytes = 0;  // of its one parameter; 0 if it takes none
    std::size_t bytes_of_accumulator = 0;
    const std::string* name = nullptr;  // lives as long as the backend

    // Lets launches have so much dynamic shared memory: beyond 48 KiB only on request (CUDA C++
    // Programming Guide, "Shared Memory" of compute capability 7.0 and newer). Thread safe.
    CUresult allow_shared_bytes(const DriverApi& api, int bytes) const;
    // The limit is so much now.
    CUresult set_shared_bytes_limit(const DriverApi& api, int bytes) const;
    void note_shared_bytes_limit(int bytes) noexcept { shared_bytes_limit_ = bytes; }

    // To be called after each launch: a graph that the stream is captured into keeps the code.
    void keep_for_capture(const CudaContext& context, CUstream stream) const {
        if (CudaMemory::is_legacy(stream) || stays_loaded_.load(std::memory_order_relaxed)) return;
        keep_if_captured(context, stream);
    }

private:
    void keep_if_captured(const CudaContext& context, CUstream stream) const;
    CUresult set_limit(const DriverApi& api, int bytes) const;

    mutable std::atomic<int> shared_bytes_limit_ = 48 * 1024;
    mutable std::mutex mutex_;
    mutable std::atomic<int> times_asked_ = 0;
    mutable std::atomic<bool> stays_loaded_ = false;
};

// What became of loading: the handles, or the call that failed with its result.
struct CudaLoadResult {
    CUlibrary library = nullptr;
    CUfunction function = nullptr;
    std::size_t parameter_bytes = 0;
    std::size_t accumulator_bytes = 0;  // 0 where the image names no accumulator
    CUresult result = CUDA_SUCCESS;
    const char* call = "";
    std::string log;  // what the driver's compiler said of PTX
};

// Loads the image's cubin, or its PTX if it has no cubin, and leaves nothing for the first launch.
// Does not disturb a capture. The context must be current.
CudaLoadResult load_cuda_image(const DriverApi& api, const Image& image);

}  // namespace kgen
