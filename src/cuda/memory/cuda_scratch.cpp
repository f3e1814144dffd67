// SPDX-License-Identifier: MIT
#include "cuda/memory/cuda_scratch.hpp"

#include <algorithm>
#include <utility>

namespace kgen {

namespace {

// The memory that this thread took for one launch and has not used yet.
struct Borrowed {
    const CudaScratch* owner = nullptr;
    CUstream stream = nullptr;
    unsigned long long stream_id = 0;
    void* pointer = nullptr;
    std::size_t bytes = 0;
};
thread_local Borrowed borrowed;

}  // namespace

CudaScratch::CudaScratch(const DriverLibrary& driver, CudaMemory& memory, std::string device_text)
    : driver_(driver),
      memory_(memory),
      device_text_(std::move(device_text)),
      captured_(driver, memory, device_text_) {}

Scratch CudaScratch::take(std::size_t counters, std::size_t bytes, CUstream stream) {
    if (CudaMemory::is_legacy(stream)) return take_legacy(counters, bytes, stream);
    if (memory_.is_capturing(stream)) return captured_.take(counters, bytes, stream);
    {
        const std::lock_guard lock(mutex_);
        const auto known = created_.find(stream);
        if (known != created_.end()) return take_from(known->second, counters, bytes, stream);
    }
    unsigned long long id = 0;  // not the address, which a later stream may have too
    driver_.check(driver_.api().stream_get_id(stream, &id), "cuStreamGetId", device_text_);
    {
        const std::lock_guard lock(mutex_);
        const auto known = foreign_.find(id);
        if (known != foreign_.end()) return take_from(known->second, counters, bytes, stream);
        if (foreign_.size() < foreign_limit)
            return take_from(foreign_[id], counters, bytes, stream);
    }
    return take_for_one_launch(counters, bytes, stream, id);
}

Scratch CudaScratch::take_legacy(std::size_t counters, std::size_t bytes, CUstream stream) {
    const std::lock_guard lock(mutex_);
    const Scratch scratch = take_from(legacy_memory_, counters, bytes, stream);
    legacy_buffers_.push_back(std::make_unique<const Buffer>(legacy_memory_.buffer));
    legacy_.store(legacy_buffers_.back().get(), std::memory_order_release);
    return scratch;
}

Scratch CudaScratch::take_from(StreamMemory& memory,
                               std::size_t counters,
                               std::size_t bytes,
                               CUstream stream) {
    Buffer& buffer = memory.buffer;
    if (buffer.memory.counters == nullptr || buffer.counters < counters) {
        constexpr std::size_t size = sizeof(std::uint32_t);
        const std::size_t wanted = std::max({counters, least_counters, 2 * buffer.counters});
        const Region region = add_region(memory, wanted * size, counters * size, stream);
        zero(region.pointer, region.bytes, stream);
        buffer.memory.counters = static_cast<std::uint32_t*>(region.pointer);
        buffer.counters = region.bytes / size;
    }
    if (buffer.bytes < bytes) {
        const std::size_t wanted = std::max({bytes, least_bytes, 2 * buffer.bytes});
        const Region region = add_region(memory, wanted, bytes, stream);
        buffer.memory.partials = region.pointer;
        buffer.bytes = region.bytes;
    }
    return buffer.memory;
}

CudaScratch::Region CudaScratch::add_region(StreamMemory& memory,
                                            std::size_t wanted,
                                            std::size_t least,
                                            CUstream stream) {
    memory.regions.reserve(memory.regions.size() + 1);
    std::size_t bytes = wanted;
    CudaMemory::Outcome outcome = memory_.allocate(bytes, stream);
    if (outcome.result == CUDA_ERROR_OUT_OF_MEMORY && least < wanted) {
        bytes = least;
        outcome = memory_.allocate(bytes, stream);
    }
    if (outcome.result != CUDA_SUCCESS) memory_.fail(outcome.result, least, scratch_purpose);
    memory.regions.push_back({outcome.pointer, bytes});
    return memory.regions.back();
}

void CudaScratch::zero(void* pointer, std::size_t bytes, CUstream stream) const {
    if (bytes == 0) return;
    driver_.check(driver_.api().fill_bytes_async(address_of(pointer), 0, bytes, stream),
                  "cuMemsetD8Async",
                  device_text_);
}

// --- Beyond the limit ---------------------------------------------------------------------------

Scratch CudaScratch::take_for_one_launch(std::size_t counters,
                                         std::size_t bytes,
                                         CUstream stream,
                                         unsigned long long id) {
    is_past_limit_.store(true, std::memory_order_relaxed);
    // Memory of an earlier launch that did not take place is freed here if the stream is the same. Otherwise
    // its stream may have been destroyed. The memory can be freed only in the order of that stream, so it
    // leaks.
    if (borrowed.owner == this && borrowed.stream_id == id) {
        borrowed.stream = stream;
        free_behind_launch(stream);
    }
    const ScratchLayout layout(counters, bytes);
    const CudaMemory::Outcome outcome = memory_.allocate(layout.bytes, stream);
    if (outcome.result != CUDA_SUCCESS) memory_.fail(outcome.result, layout.bytes, scratch_purpose);
    borrowed = {.owner = this,
                .stream = stream,
                .stream_id = id,
                .pointer = outcome.pointer,
                .bytes = layout.bytes};
    zero(outcome.pointer, layout.counter_bytes, stream);
    return layout.in(outcome.pointer);
}

void CudaScratch::free_behind_launch(CUstream stream) noexcept {
    if (borrowed.owner != this || borrowed.stream != stream) return;
    const Borrowed returned = std::exchange(borrowed, {});
    try {
        memory_.free(returned.pointer, returned.bytes, stream);
    } catch (...) {  // the launch itself succeeded; the next call of the driver reports the error
    }
}

// --- kgen's own streams -------------------------------------------------------------------------

void CudaScratch::add_stream(CUstream stream) {
    const std::lock_guard lock(mutex_);
    created_[stream] = {};
}

void CudaScratch::release_stream(CUstream stream) {
    std::vector<Region> regions;
    {
        const std::lock_guard lock(mutex_);
        const auto known = created_.find(stream);
        if (known == created_.end()) return;
        regions = std::move(known->second.regions);
        created_.erase(known);
    }
    // No graph uses this memory, because captured launches have their own scratch memory.
    for (const Region& region : regions) memory_.free_unused(region.pointer, region.bytes, stream);
}

void CudaScratch::release_foreign_stream(CUstream stream) {
    unsigned long long id = 0;
    driver_.check(driver_.api().stream_get_id(stream, &id), "cuStreamGetId", device_text_);
    std::vector<Region> regions;
    {
        const std::lock_guard lock(mutex_);
        const auto known = foreign_.find(id);
        if (known == foreign_.end()) return;
        regions = std::move(known->second.regions);
        foreign_.erase(known);
    }
    for (const Region& region : regions) memory_.free_unused(region.pointer, region.bytes, stream);
}

}  // namespace kgen
