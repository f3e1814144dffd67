// SPDX-License-Identifier: MIT
#include "cuda/memory/cuda_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <kgen/error.hpp>
#include <limits>
#include <utility>

#include "cuda/driver/unique_handle.hpp"
#include "device/capture_record.hpp"

namespace kgen {

namespace {

double gib(std::size_t bytes) noexcept {
    return static_cast<double>(bytes) / (1 << 30);
}

}  // namespace

CudaMemory::CudaMemory(const DriverLibrary& driver,
                       CUdevice device,
                       std::string device_text,
                       SuppliedMemory& supplied)
    : driver_(driver), device_text_(std::move(device_text)), supplied_(supplied) {
    // kgen has its own pool, because the release threshold of the device's default pool belongs to other
    // libraries.
    CUmemPoolProps properties = {};
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = device;
    const DriverApi& api = driver_.api();
    access_ = find_peers(driver_, device);
    check(api.memory_pool_create(&pool_, &properties), "cuMemPoolCreate");
    open_pool(driver_, pool_, access_);
    // Without this, the pool would give its memory back at every synchronisation.
    std::uint64_t threshold = std::numeric_limits<std::uint64_t>::max();
    check(api.memory_pool_set_attribute(pool_, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold),
          "cuMemPoolSetAttribute");
    check(api.stream_create(&side_stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
}

BlockTable::StreamId CudaMemory::id_of(CUstream stream, std::unique_lock<std::mutex>& lock) const {
    if (is_legacy(stream)) return legacy_id;
    if (const auto known = created_.find(stream); known != created_.end()) return known->second;
    lock.unlock();  // another library's stream
    unsigned long long id = 0;
    check(driver_.api().stream_get_id(stream, &id), "cuStreamGetId");
    lock.lock();
    return id + 1;
}

bool CudaMemory::is_capturing(CUstream stream) const {
    if (is_legacy(stream)) return false;  // the legacy stream cannot be captured
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    check(driver_.api().stream_is_capturing(stream, &status), "cuStreamIsCapturing");
    return status != CU_STREAM_CAPTURE_STATUS_NONE;
}

CUresult CudaMemory::allocate_from_pool(std::size_t bytes, CUstream stream, void*& pointer) const {
    CUdeviceptr address = 0;
    const CUresult result = driver_.api().memory_allocate_async(
        &address, BlockTable::block_bytes(bytes), pool_, stream);
    pointer = reinterpret_cast<void*>(address);
    return result;
}

bool CudaMemory::is_blocked(CUstream stream) const {
    if (!is_legacy(stream)) return is_capturing(stream);
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    return driver_.api().stream_is_capturing(stream, &status) == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
}

bool CudaMemory::knows_capture() {
    if (own_captures_.load() != 0 || is_blocked(nullptr)) return true;
    const std::lock_guard lock(mutex_);
    return std::any_of(created_.begin(), created_.end(), [this](const auto& created) {
        return is_capturing(created.first);
    });
}

std::optional<CUresult> CudaMemory::wait_for_context() {
    const std::shared_lock held = hold_captures();
    if (knows_capture()) return std::nullopt;
    return driver_.api().context_synchronize();
}

CUresult CudaMemory::begin_capture(CUstream stream) {
    const std::lock_guard lock(captures_mutex_);
    const CUresult result =
        driver_.api().stream_begin_capture(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
    if (result == CUDA_SUCCESS) own_captures_.fetch_add(1);
    return result;
}

CudaMemory::Outcome CudaMemory::allocate(std::size_t bytes, CUstream stream) {
    if (supplied_.is_set() && !is_blocked(stream)) [[unlikely]] {
        free_late_supplied();
        if (void* block = supplied_.allocate(bytes, stream)) return {.pointer = block};
    }
    if (is_legacy(stream)) {
        if (void* block = legacy_cells_.take(bytes)) return {.pointer = block};
    }
    const bool is_captured = is_capturing(stream);
    if (!is_captured) {
        std::unique_lock lock(mutex_);
        if (void* block = table_.take(id_of(stream, lock), bytes)) return {.pointer = block};
    }
    Outcome outcome = allocate_new(bytes, stream);
    if (outcome.result == CUDA_ERROR_OUT_OF_MEMORY) {
        release_kept_blocks();
        outcome = allocate_new(bytes, stream);
    }
    // In a capture of kgen's own, the graph owns the memory and frees it when it can no longer be replayed.
    if (is_captured && outcome.result == CUDA_SUCCESS &&
        CaptureRecord::of_this_thread() == nullptr) {
        const std::lock_guard lock(mutex_);
        captured_.insert(outcome.pointer);
    }
    return outcome;
}

CudaMemory::Outcome CudaMemory::allocate_new(std::size_t bytes, CUstream stream) const {
    if (is_beyond_limit(bytes)) return {.result = CUDA_ERROR_OUT_OF_MEMORY};
    if (is_blocked(stream)) return allocate_at_once(bytes);
    Outcome outcome;
    outcome.result = allocate_from_pool(bytes, stream, outcome.pointer);
    return outcome;
}

std::uint64_t CudaMemory::pool_bytes(CUmemPool_attribute attribute) const {
    std::uint64_t bytes = 0;
    check(driver_.api().memory_pool_get_attribute(pool_, attribute, &bytes),
          "cuMemPoolGetAttribute");
    return bytes;
}

// The driver counts kept blocks as used memory.
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
        statistics.kept_bytes += table_.kept_bytes() + late_bytes_;
    }
    // Other threads allocate meanwhile, so `used` may be smaller than the kept bytes.
    const std::uint64_t used = pool_bytes(CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
    statistics.used_bytes = used - std::min(used, statistics.kept_bytes);
    statistics.reserved_bytes = pool_bytes(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
    statistics.peak_reserved_bytes = pool_bytes(CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH);
    statistics.limit_bytes = limit_bytes_.load();
    return statistics;
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

bool CudaMemory::free_supplied(void* pointer, CUstream stream) {
    if (!supplied_.has(pointer)) return false;
    {
        const std::shared_lock held = hold_captures();
        if (is_blocked(stream)) {
            const std::lock_guard lock(mutex_);
            const bool stays = is_legacy(stream) || created_.contains(stream);
            late_supplied_.emplace_back(pointer,
                                        stays ? std::optional<CUstream>(stream) : std::nullopt);
            return true;
        }
    }
    free_late_supplied();
    return supplied_.free(pointer, stream);
}

void CudaMemory::free_late_supplied() {
    std::vector<std::pair<void*, std::optional<CUstream>>> ready;
    {
        const std::shared_lock held = hold_captures();
        const std::lock_guard lock(mutex_);
        std::erase_if(late_supplied_, [&](const auto& block) {
            if (!block.second || is_blocked(*block.second)) return false;
            ready.push_back(block);
            return true;
        });
    }
    for (const auto& [pointer, stream] : ready) supplied_.free(pointer, *stream);
}

void CudaMemory::free(void* pointer, std::size_t bytes, CUstream stream) {
    if (supplied_.has_blocks()) [[unlikely]] {
        // Each replay of another library's graph uses the block again.
        if (supplied_.has(pointer) && is_capturing(stream)) return;
        if (free_supplied(pointer, stream)) return;
    }
    if (is_legacy(stream) && legacy_cells_.keep(bytes, pointer)) return;
    if (is_capturing(stream)) return;  // each replay of the graph uses the block again
    free_unused(pointer, bytes, stream);
}

void CudaMemory::free_unused(void* pointer, std::size_t bytes, CUstream stream) {
    if (supplied_.has_blocks() && free_supplied(pointer, stream)) [[unlikely]]
        return;
    BlockTable::StreamId id = legacy_id;
    {
        std::unique_lock lock(mutex_);
        if (!captured_.empty() && captured_.erase(pointer) != 0) return;
        id = id_of(stream, lock);
        if (table_.keep(id, bytes, pointer)) return;
    }
    const std::shared_lock held = hold_captures();
    if (is_blocked(stream)) {
        const std::lock_guard lock(mutex_);
        return keep_late({id, BlockTable::block_bytes(bytes), pointer});
    }
    check(driver_.api().memory_free_async(address_of(pointer), stream), "cuMemFreeAsync");
}

void CudaMemory::keep_late(const KeptBlock& block) {
    if (block.bytes <= BlockTable::largest_bytes) return table_.restore(block);
    late_.push_back(block);
    late_bytes_ += block.bytes;
}

void CudaMemory::add_stream(CUstream stream) {
    std::unique_lock lock(mutex_);
    const BlockTable::StreamId id = id_of(stream, lock);
    created_.emplace(stream, id);
}

void CudaMemory::release_stream(CUstream stream) {
    std::vector<KeptBlock> blocks;
    {
        std::unique_lock lock(mutex_);
        // While a stream is being captured, nothing can be freed on it. Its blocks then stay in the table
        // until release_kept_blocks() gives them back to the driver.
        if (!is_capturing(stream)) blocks = table_.drain(id_of(stream, lock));
        created_.erase(stream);
        for (auto& [pointer, late_stream] : late_supplied_) {
            if (late_stream == stream) late_stream.reset();
        }
    }
    for (const KeptBlock& block : blocks) {
        check(driver_.api().memory_free_async(address_of(block.pointer), stream), "cuMemFreeAsync");
    }
}

std::set<BlockTable::StreamId> CudaMemory::let_side_stream_wait(
    const std::vector<KeptBlock>& blocks) {
    const DriverApi& api = driver_.api();
    std::set<BlockTable::StreamId> wanted;
    for (const KeptBlock& block : blocks) wanted.insert(block.stream);
    std::set<BlockTable::StreamId> awaited;
    CUevent event = nullptr;
    check(api.event_create(&event, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
    UniqueHandle<CUevent, decltype(DriverApi::event_destroy)> owner(event, {api.event_destroy});
    const auto wait_for = [&](CUstream stream, BlockTable::StreamId id) {
        if (!wanted.contains(id) || is_blocked(stream)) return;
        check(api.event_record(event, stream), "cuEventRecord");
        // If a capture began before the event was recorded, the event belongs to the capture and cannot be
        // waited for.
        if (is_blocked(stream)) return;
        check(api.stream_wait_event(side_stream_, event, CU_EVENT_WAIT_DEFAULT),
              "cuStreamWaitEvent");
        awaited.insert(id);
    };
    {
        const std::shared_lock held = hold_captures();
        wait_for(nullptr, legacy_id);
        const std::lock_guard lock(mutex_);  // keeps streams from being destroyed
        for (const auto& [stream, id] : created_) wait_for(stream, id);
    }
    check(api.event_destroy(owner.release()), "cuEventDestroy");
    return awaited;
}

// The side stream frees all blocks. It waits for each kgen stream with an event. For another library's stream
// that is not possible, because the stream may have been destroyed. Its blocks need a wait for the whole
// context.
void CudaMemory::release_kept_blocks(std::uint64_t keep_bytes) {
    const DriverApi& api = driver_.api();
    if (supplied_.has_blocks()) free_late_supplied();
    std::vector<KeptBlock> blocks = legacy_cells_.drain(legacy_id);
    std::vector<std::pair<void*, std::optional<CUstream>>> supplied;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& others : {table_.drain(), std::exchange(late_, {})})
            blocks.insert(blocks.end(), others.begin(), others.end());
        late_bytes_ = 0;
        supplied.swap(late_supplied_);
    }
    std::vector<KeptBlock> kept;
    const auto restore = [&](const std::vector<KeptBlock>& list) {
        const std::lock_guard lock(mutex_);
        for (const KeptBlock& block : list) keep_late(block);
    };
    const auto restore_supplied = [&] {
        const std::lock_guard lock(mutex_);
        late_supplied_.insert(late_supplied_.end(), supplied.begin(), supplied.end());
    };
    try {
        const std::set<BlockTable::StreamId> awaited = let_side_stream_wait(blocks);
        const auto is_awaited = [&](const KeptBlock& block) {
            return awaited.contains(block.stream);
        };
        bool are_all_free =
            supplied.empty() && std::all_of(blocks.begin(), blocks.end(), is_awaited);
        if (!are_all_free) {
            const std::optional<CUresult> waited = wait_for_context();
            if (waited) check(*waited, "cuCtxSynchronize");
            are_all_free = waited.has_value();
        }
        if (are_all_free) {
            for (const auto& [pointer, stream] : supplied) supplied_.free(pointer, nullptr);
            supplied.clear();
        }
        for (; !blocks.empty(); blocks.pop_back()) {
            const KeptBlock& block = blocks.back();
            if (!are_all_free && !is_awaited(block)) {
                kept.push_back(block);
                continue;
            }
            check(api.memory_free_async(address_of(block.pointer), side_stream_), "cuMemFreeAsync");
        }
    } catch (...) {
        restore(blocks);
        restore(kept);
        restore_supplied();
        throw;
    }
    restore(kept);
    restore_supplied();
    check(api.stream_synchronize(side_stream_), "cuStreamSynchronize");
    check(api.memory_pool_trim(pool_, keep_bytes), "cuMemPoolTrimTo");
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
