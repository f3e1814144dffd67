// SPDX-License-Identifier: MIT
//
// A kernel that is loaded on one GPU. Its library is never unloaded: launched work and captured
// graphs may still need the code, and nothing tells when they no longer do.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>

#include "cuda/driver_api.hpp"
#include "device/backend.hpp"

namespace kgen {

struct CudaKernel : LoadedKernel {
    void* native_function() const noexcept override { return function; }
    std::size_t accumulator_bytes() const noexcept override { return bytes_of_accumulator; }

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

private:
    CUresult set_limit(const DriverApi& api, int bytes) const;

    mutable std::atomic<int> shared_bytes_limit_ = 48 * 1024;
    mutable std::mutex mutex_;
};

// What became of loading: the handles, or the call that failed with its result.
struct CudaLoadResult {
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
