// SPDX-License-Identifier: MIT
//
// PeerCopies: copies from the memory of other GPUs to that of one GPU. Thread-safe.
//
// There are drivers whose cuMemcpyPeerAsync returns success and writes nothing, after cuMemPoolSetAccess was
// called (JuliaGPU/CUDA.jl#3112: driver 590.48, Turing). Therefore the first copy from each GPU is preceded by
// a test copy between the two pools, which is read back. If the bytes differ, the log gets a warning, and all
// copies from this GPU go through the host. The test is in streams and memory of its own, so it may run beside
// captures of other threads.
#pragma once

#include <map>
#include <mutex>

#include "cuda/driver/cuda_context.hpp"

namespace kgen {

class PeerCopies {
public:
    explicit PeerCopies(const CudaContext& context) : context_(context) {}

    // Copies from memory of another GPU. The copy waits for earlier work of both streams, and later work of
    // both waits for it. Returns without waiting, unless the copy goes through the host. Throws DeviceError if
    // one of the streams is being captured, or if the source's pool could not be opened to this GPU.
    void copy(void* destination,
              const void* source,
              std::size_t bytes,
              const CudaContext& source_context,
              CUstream source_stream,
              CUstream stream) const;

    // Makes the test copy from the GPU, unless it was made before. Returns whether it arrived. Throws DeviceError if the
    // GPU's pool could not be opened to this one.
    bool is_sound(const CudaContext& source) const;

private:
    const CudaContext& context_;
    mutable std::mutex mutex_;
    mutable std::map<int, bool> sound_;  // results of the test by source; guarded by mutex_
};

}  // namespace kgen
