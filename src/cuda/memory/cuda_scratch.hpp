// SPDX-License-Identifier: MIT
//
// CudaScratch: scratch memory for reductions on one GPU. It consists of counters and other words that are zero between
// launches, and of partials, which hold the partial results of thread blocks. Launches of one stream run one
// after the other, so each stream has one buffer. Its counters are zeroed only when they are allocated. If a
// launch needs more counters or partials, they are replaced by new memory of at least twice the size, or of
// the size needed if memory is short. The old memory stays until the stream is destroyed, because another
// thread may be about to launch with it.
//
//     stream                      its memory
//     the legacy default stream   is found without a lock and without asking the driver
//     kgen's own streams          lives from add_stream() to release_stream()
//     other libraries' streams    is found by the stream's id, because kgen does not learn when they end. The
//                                 first `foreign_limit` streams keep their memory. Any further stream gets
//                                 memory for one launch, freed after it in the stream's order (end_launch)
//     streams being captured      comes from CapturedScratch
//
// Thread-safe. The caller must have made the context current.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "cuda/memory/captured_scratch.hpp"
#include "cuda/memory/cuda_memory.hpp"
#include "device/backend.hpp"

namespace kgen {

class CudaScratch {
public:
    // Size of a stream's first buffer, which is large enough for most launches.
    static constexpr std::size_t least_counters = 65536;
    static constexpr std::size_t least_bytes = std::size_t{256} << 10;
    static constexpr std::size_t foreign_limit = 256;

    // `device_text` is for messages: "cuda:0".
    CudaScratch(const DriverLibrary& driver, CudaMemory& memory, std::string device_text);

    // Returns memory for the next launch of this thread on `stream`. end_launch() must be called after the
    // launch.
    Scratch take(std::size_t counters, std::size_t bytes, CUstream stream);
    // Returns the memory of the legacy default stream if it is large enough. Otherwise `counters` of the
    // result is nullptr.
    Scratch find_legacy(std::size_t counters, std::size_t bytes) const noexcept {
        const Buffer* buffer = legacy_.load(std::memory_order_acquire);
        return buffer != nullptr && buffer->holds(counters, bytes) ? buffer->memory : Scratch();
    }
    // Must be called after this thread has launched on `stream`, or has failed to.
    void end_launch(CUstream stream) noexcept {
        if (is_past_limit_.load(std::memory_order_relaxed)) free_behind_launch(stream);
    }

    // Must be called together with add_stream() and release_stream() of CudaMemory. release_stream() must be
    // called before that of CudaMemory.
    void add_stream(CUstream stream);
    void release_stream(CUstream stream);
    // Does the same for a stream of another library that is about to be destroyed. Its work must be done.
    void release_foreign_stream(CUstream stream);

private:
    struct Buffer {
        Scratch memory;
        std::size_t counters = 0;
        std::size_t bytes = 0;
        bool holds(std::size_t want_counters, std::size_t want_bytes) const noexcept {
            return memory.counters != nullptr && counters >= want_counters && bytes >= want_bytes;
        }
    };
    struct Region {
        void* pointer;
        std::size_t bytes;
    };
    struct StreamMemory {
        Buffer buffer;                // the latest buffer
        std::vector<Region> regions;  // the memory of it and of all earlier buffers
    };

    Scratch take_from(StreamMemory& memory,
                      std::size_t counters,
                      std::size_t bytes,
                      CUstream stream);
    Scratch take_legacy(std::size_t counters, std::size_t bytes, CUstream stream);
    Scratch take_for_one_launch(std::size_t counters,
                                std::size_t bytes,
                                CUstream stream,
                                unsigned long long id);
    void free_behind_launch(CUstream stream) noexcept;
    // Allocates `wanted` bytes, or `least` bytes if memory is short.
    Region add_region(StreamMemory& memory, std::size_t wanted, std::size_t least, CUstream stream);
    void zero(void* pointer, std::size_t bytes, CUstream stream) const;

    const DriverLibrary& driver_;
    CudaMemory& memory_;
    std::string device_text_;
    CapturedScratch captured_;
    std::atomic<const Buffer*> legacy_ = nullptr;
    std::atomic<bool> is_past_limit_ = false;
    std::mutex mutex_;  // guards all members below
    StreamMemory legacy_memory_;
    std::vector<std::unique_ptr<const Buffer>> legacy_buffers_;  // readers may use any of them
    std::unordered_map<CUstream, StreamMemory> created_;
    std::unordered_map<unsigned long long, StreamMemory> foreign_;
};

}  // namespace kgen
