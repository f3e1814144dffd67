// SPDX-License-Identifier: MIT
#include "cuda/cuda_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <kgen/error.hpp>
#include <limits>
#include <utility>

#include "cuda/capture_mode.hpp"
#include "device/capture_record.hpp"

namespace kgen {

namespace {

double gib(std::size_t bytes) noexcept {
    return static_cast<double>(bytes) / (1 << 30);
}

}  // namespace

CudaMemory::CudaMemory(const DriverLibrary& driver, CUdevice device, std::string device_text)
    : driver_(driver), device_text_(std::move(device_text)) {
    // A pool of kgen's own: the threshold of the device's default pool belongs to other libraries.
    CUmemPoolProps properties = {};
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = device;
    const DriverApi& api = driver_.api();
    const RelaxedCapture relaxed(api);
    driver_.check(api.memory_pool_create(&pool_, &properties), "cuMemPoolCreate", device_text_);
    // By default the pool gives its memory back at every synchronisation.
    std::uint64_t threshold = std::numeric_limits<std::uint64_t>::max();
    driver_.check(
        api.memory_pool_set_attribute(pool_, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold),
        "cuMemPoolSetAttribute",
        device_text_);
    driver_.check(
        api.stream_create(&side_stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate", device_text_);
}

BlockTable::StreamId CudaMemory::id_of(CUstream stream, std::unique_lock<std::mutex>& lock) const {
    if (is_legacy(stream)) return 0;
    if (const auto known = created_.find(stream); known != created_.end()) return known->second;
    lock.unlock();  // another library's stream
    unsigned long long id = 0;
    driver_.check(driver_.api().stream_get_id(stream, &id), "cuStreamGetId", device_text_);
    lock.lock();
    return id + 1;
}

bool CudaMemory::is_capturing(CUstream stream) const {
    if (is_legacy(stream)) return false;  // cannot be captured
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    driver_.check(
        driver_.api().stream_is_capturing(stream, &status), "cuStreamIsCapturing", device_text_);
    return status != CU_STREAM_CAPTURE_STATUS_NONE;
}

CUresult CudaMemory::allocate_from_pool(std::size_t bytes, CUstream stream, void*& pointer) const {
    CUdeviceptr address = 0;
    const CUresult result = driver_.api().memory_allocate_async(
        &address, BlockTable::block_bytes(bytes), pool_, stream);
    pointer = reinterpret_cast<void*>(address);
    return result;
}

CudaMemory::Outcome CudaMemory::allocate(std::size_t bytes, CUstream stream) {
    if (is_legacy(stream)) {
        if (void* block = legacy_cells_.take(bytes)) return {.pointer = block};
    }
    if (is_capturing(stream)) return allocate_for_capture(bytes);
    Outcome outcome;
    {
        std::unique_lock lock(mutex_);
        outcome.pointer = table_.take(id_of(stream, lock), bytes);
    }
    if (outcome.pointer != nullptr) return outcome;
    outcome.result = is_beyond_limit(bytes) ? CUDA_ERROR_OUT_OF_MEMORY
                                            : allocate_from_pool(bytes, stream, outcome.pointer);
    if (outcome.result == CUDA_ERROR_OUT_OF_MEMORY) {
        release_kept_blocks();
        if (is_beyond_limit(bytes)) return outcome;
        outcome.result = allocate_from_pool(bytes, stream, outcome.pointer);
    }
    return outcome;
}

std::uint64_t CudaMemory::pool_bytes(CUmemPool_attribute attribute) const {
    std::uint64_t bytes = 0;
    driver_.check(driver_.api().memory_pool_get_attribute(pool_, attribute, &bytes),
                  "cuMemPoolGetAttribute",
                  device_text_);
    return bytes;
}

// The driver counts what is kept as used.
bool CudaMemory::is_beyond_limit(std::size_t bytes) const {
    const std::uint64_t limit = limit_bytes_.load(std::memory_order_relaxed);
    if (limit == 0) return false;
    const std::size_t wanted = BlockTable::block_bytes(bytes);
    return wanted > limit || pool_bytes(CU_MEMPOOL_ATTR_USED_MEM_CURRENT) > limit - wanted;
}

MemoryPoolStatistics CudaMemory::statistics() {
    MemoryPoolStatistics statistics;
    statistics.kept_bytes = legacy_cells_.kept_bytes();
    {
        const std::lock_guard lock(mutex_);
        statistics.kept_bytes += table_.kept_bytes();
    }
    // Other threads go on meanwhile.
    const std::uint64_t used = pool_bytes(CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
    statistics.used_bytes = used - std::min(used, statistics.kept_bytes);
    statistics.reserved_bytes = pool_bytes(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
    statistics.most_reserved_bytes = pool_bytes(CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH);
    statistics.limit_bytes = limit_bytes_.load();
    return statistics;
}

void CudaMemory::trim(std::uint64_t keep_bytes) {
    release_kept_blocks(keep_bytes);
}

CudaMemory::Outcome CudaMemory::allocate_for_capture(std::size_t bytes) {
    const RelaxedCapture relaxed(driver_.api());
    const Outcome outcome = allocate_at_once(bytes);
    if (outcome.result != CUDA_SUCCESS) return outcome;
    // The graph of a capture of kgen's owns its memory, and frees it when no replay can come any more.
    if (CaptureRecord::of_this_thread() != nullptr) return outcome;
    const std::lock_guard lock(mutex_);
    captured_.insert(outcome.pointer);
    return outcome;
}

CudaMemory::Outcome CudaMemory::allocate_at_once(std::size_t bytes) const {
    Outcome outcome;
    outcome.result = allocate_from_pool(bytes, side_stream_, outcome.pointer);
    if (outcome.result == CUDA_SUCCESS)
        outcome.result = driver_.api().stream_synchronize(side_stream_);
    return outcome;
}

CUresult CudaMemory::zero_at_once(void* pointer, std::size_t bytes) const {
    if (bytes == 0) return CUDA_SUCCESS;
    const DriverApi& api = driver_.api();
    const CUresult result = api.fill_bytes_async(address_of(pointer), 0, bytes, side_stream_);
    return result == CUDA_SUCCESS ? api.stream_synchronize(side_stream_) : result;
}

CUresult CudaMemory::free_at_once(void* pointer) const {
    const DriverApi& api = driver_.api();
    const CUresult result = api.memory_free_async(address_of(pointer), side_stream_);
    return result == CUDA_SUCCESS ? api.stream_synchronize(side_stream_) : result;
}

void CudaMemory::free(void* pointer, std::size_t bytes, CUstream stream) {
    if (is_legacy(stream) && legacy_cells_.keep(bytes, pointer)) return;
    if (is_capturing(stream)) return;  // the graph uses it: see the header
    {
        std::unique_lock lock(mutex_);
        if (!captured_.empty() && captured_.erase(pointer) != 0) return;
        if (table_.keep(id_of(stream, lock), bytes, pointer)) return;
    }
    driver_.check(driver_.api().memory_free_async(address_of(pointer), stream),
                  "cuMemFreeAsync",
                  device_text_);
}

void CudaMemory::add_stream(CUstream stream) {
    std::unique_lock lock(mutex_);
    const BlockTable::StreamId id = id_of(stream, lock);
    created_.emplace(stream, id);
}

void CudaMemory::release_stream(CUstream stream) {
    std::vector<void*> blocks;
    {
        std::unique_lock lock(mutex_);
        blocks = table_.drain(id_of(stream, lock));
        created_.erase(stream);
    }
    for (void* block : blocks) {
        driver_.check(driver_.api().memory_free_async(address_of(block), stream),
                      "cuMemFreeAsync",
                      device_text_);
    }
}

void CudaMemory::release_kept_blocks(std::uint64_t keep_bytes) {
    std::vector<void*> blocks = legacy_cells_.drain();
    {
        const std::lock_guard lock(mutex_);
        const std::vector<void*> others = table_.drain();
        blocks.insert(blocks.end(), others.begin(), others.end());
    }
    // Blocks of all streams are given back on one, so their work must be done first.
    const DriverApi& api = driver_.api();
    driver_.check(api.context_synchronize(), "cuCtxSynchronize", device_text_);
    for (void* block : blocks) {
        driver_.check(
            api.memory_free_async(address_of(block), side_stream_), "cuMemFreeAsync", device_text_);
    }
    driver_.check(api.stream_synchronize(side_stream_), "cuStreamSynchronize", device_text_);
    driver_.check(api.memory_pool_trim(pool_, keep_bytes), "cuMemPoolTrimTo", device_text_);
}

void CudaMemory::fail(CUresult result, std::size_t bytes, std::string_view purpose) const {
    constexpr const char* call = "cuMemAllocFromPoolAsync";
    if (result == CUDA_ERROR_OUT_OF_MEMORY)
        throw DeviceError(out_of_memory_text(bytes, purpose), call, result);
    driver_.fail(result, call, device_text_);
}

std::string CudaMemory::out_of_memory_text(std::size_t bytes, std::string_view purpose) const {
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    std::string text = fmt::format("{}: out of memory: cannot allocate {} bytes ({:.1f} GiB){}{}",
                                   device_text_,
                                   bytes,
                                   gib(bytes),
                                   purpose.empty() ? "" : " of ",
                                   purpose);
    if (is_beyond_limit(bytes)) {
        return fmt::format("{}; {} bytes are in use, and set_memory_pool_limit allows {}",
                           text,
                           pool_bytes(CU_MEMPOOL_ATTR_USED_MEM_CURRENT),
                           limit_bytes_.load());
    }
    if (driver_.api().memory_get_info(&free_bytes, &total_bytes) == CUDA_SUCCESS) {
        text += fmt::format("; {:.1f} of {:.1f} GiB are free", gib(free_bytes), gib(total_bytes));
    }
    return text;
}

}  // namespace kgen
