// SPDX-License-Identifier: MIT
//
// Scratch memory for launches on one GPU: counters that are zero between launches, and partials.
// The launches of one stream run one after the other, so that a stream has one of each, zeroed when
// it is allocated and never again. What grew is kept beside what it grew to until the stream goes:
// another thread may be about to launch with it; doubling bounds what this costs.
//
//     the legacy default stream   found without a lock and without asking the driver
//     kgen's own streams          from add_stream() to release_stream()
//     other libraries' streams    by their ids, as nobody says when they end: the first `foreign_limit`
//                                 keep their memory; any other has memory for one launch, freed behind
//                                 it in the order of its stream (end_launch)
//     streams being captured      CapturedScratch
//
// Thread safe. The caller has made the context current.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
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
    // A stream's first memory: room for most launches there are.
    static constexpr std::size_t least_counters = 8192;
    static constexpr std::size_t least_bytes = std::size_t{256} << 10;
    static constexpr std::size_t foreign_limit = 256;

    // `device_text` is for messages: "cuda:0".
    CudaScratch(const DriverLibrary& driver, CudaMemory& memory, std::string device_text);

    // For the next launch of this thread on `stream`, after which end_launch() is to be called.
    Scratch take(std::size_t counters, std::size_t bytes, CUstream stream);
    // Of the legacy default stream, if there already is as much: else without counters.
    Scratch find_legacy(std::size_t counters, std::size_t bytes) const noexcept {
        const Buffer* buffer = legacy_.load(std::memory_order_acquire);
        return buffer != nullptr && buffer->holds(counters, bytes) ? buffer->memory : Scratch();
    }
    // This thread's launch was given to `stream`, or failed.
    void end_launch(CUstream stream) noexcept {
        if (is_past_limit_.load(std::memory_order_relaxed)) free_behind_launch(stream);
    }

    // As those of CudaMemory; called before it releases the stream.
    void add_stream(CUstream stream);
    void release_stream(CUstream stream);

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
        Buffer buffer;                // the latest
        std::vector<Region> regions;  // all that it and those before consist of
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
    // `wanted` bytes, or `least` where there is not so much.
    Region add_region(StreamMemory& memory, std::size_t wanted, std::size_t least, CUstream stream);
    void zero(void* pointer, std::size_t bytes, CUstream stream) const;

    const DriverLibrary& driver_;
    CudaMemory& memory_;
    std::string device_text_;
    CapturedScratch captured_;
    std::atomic<const Buffer*> legacy_ = nullptr;
    std::atomic<bool> is_past_limit_ = false;
    std::mutex mutex_;  // of all below
    StreamMemory legacy_memory_;
    std::vector<std::unique_ptr<const Buffer>> legacy_buffers_;  // readers may hold any of them
    std::unordered_map<CUstream, StreamMemory> created_;
    std::unordered_map<unsigned long long, StreamMemory> foreign_;
};

}  // namespace kgen
