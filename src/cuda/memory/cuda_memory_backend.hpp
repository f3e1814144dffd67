// SPDX-License-Identifier: MIT
//
// CudaMemoryBackend: the MemoryBackend of one GPU: facts about addresses, pinned host memory, and statistics
// and limits of the memory pool.
#pragma once

#include "cuda/driver/cuda_context.hpp"
#include "device/memory_backend.hpp"

namespace kgen {

// Gives a copy to the stream, without waiting for it. The context must be current.
void enqueue_copy(const CudaContext& context,
                  void* destination,
                  const void* source,
                  std::size_t bytes,
                  CopyDirection direction,
                  CUstream stream);

class CudaMemoryBackend : public MemoryBackend {
public:
    explicit CudaMemoryBackend(const CudaContext& context) : context_(context) {}

    AddressFacts look_up(const void* address) const override;
    void* allocate_pinned(std::size_t bytes) const override;
    void free_pinned(void* pointer) const noexcept override;
    void copy_pinned(void* destination,
                     const void* source,
                     std::size_t bytes,
                     CopyDirection direction,
                     StreamHandle stream) const override;
    MemoryPoolStatistics pool_statistics() const override;
    void set_pool_limit(std::uint64_t bytes) const override;
    void trim_pool(std::uint64_t keep_bytes) const override;

private:
    const CudaContext& context_;
};

}  // namespace kgen
