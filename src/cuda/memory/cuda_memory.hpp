// SPDX-License-Identifier: MIT
//
// Memory of one GPU in stream order: a free list per stream and size (BlockTable) over a pool of the
// driver (cuMemAllocFromPoolAsync). Thread safe. The caller has made the context current.
//
// Under stream capture: what a captured stream allocates or frees is used again at each replay of
// the graph, at times nobody here knows. Such a block therefore is real memory from outside the graph
// (no allocation node, whose memory would not be there between replays), and once it was allocated
// or freed under capture it is never given to anyone else. Except what kgen's own capture() allocates:
// its Graph owns the memory and frees it when it is no longer replayed (CaptureRecord).
#pragma once

#include <atomic>
#include <cstdint>
#include <kgen/memory_pool.hpp>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cuda/driver/driver_library.hpp"
#include "cuda/memory/block_cells.hpp"
#include "cuda/memory/block_table.hpp"

namespace kgen {

class CudaMemory {
public:
    // `device_text` is for messages: "cuda:0".
    CudaMemory(const DriverLibrary& driver, CUdevice device, std::string device_text);

    struct Outcome {
        void* pointer = nullptr;
        CUresult result = CUDA_SUCCESS;
    };
    // On CUDA_ERROR_OUT_OF_MEMORY all kept blocks were given back first and the request repeated.
    Outcome allocate(std::size_t bytes, CUstream stream);
    void free(void* pointer, std::size_t bytes, CUstream stream);
    // The same for memory that no graph uses, also if the stream is being captured.
    void free_unused(void* pointer, std::size_t bytes, CUstream stream);
    // Throws what became of a request: DeviceError. `purpose` is empty, or what the memory was for.
    [[noreturn]] void fail(CUresult result, std::size_t bytes, std::string_view purpose) const;

    // Bytes as in kgen/memory_pool.hpp.
    MemoryPoolStatistics statistics();
    void set_limit(std::uint64_t bytes) noexcept { limit_bytes_.store(bytes); }
    // Waits for the streams whose blocks go back. Those of streams that are being captured stay, and while
    // any is known to be, those of other libraries' streams.
    void trim(std::uint64_t keep_bytes) { release_kept_blocks(keep_bytes); }

    // Done when they return, in no stream's order: for memory that a graph uses. No work may still use what
    // is zeroed or freed.
    Outcome allocate_at_once(std::size_t bytes) const;
    CUresult zero_at_once(void* pointer, std::size_t bytes) const;
    CUresult free_at_once(void* pointer) const;

    // To be called for a stream that kgen created, when it is there and before it is destroyed: its
    // blocks then go back to the pool.
    void add_stream(CUstream stream);
    void release_stream(CUstream stream);

    static bool is_legacy(CUstream stream) noexcept {
        return stream == nullptr || stream == CU_STREAM_LEGACY;
    }
    bool is_capturing(CUstream stream) const;
    // Whether work must not be given to it: it is being captured, or is the legacy default stream while
    // a blocking stream is, whose capture that would invalidate.
    bool is_blocked(CUstream stream) const;
    // Waits for the whole context, unless a capture is known that this would invalidate: then nothing. Known
    // are kgen's own, and another library's of a stream of kgen's or of a blocking stream; the driver tells of
    // no others.
    std::optional<CUresult> wait_for_context();
    // Captures of kgen's own: none begins while the context is waited for, or while another thread holds them.
    CUresult begin_capture(CUstream stream);
    std::shared_lock<std::shared_mutex> hold_captures() {
        return std::shared_lock(captures_mutex_);
    }
    void note_end_of_capture() noexcept { own_captures_.fetch_sub(1); }

private:
    static constexpr BlockTable::StreamId legacy_id = 0;

    // Streams are known by their ids: the address of a destroyed stream may come again. Those that
    // add_stream() told of need no question to the driver; `lock` is of mutex_.
    BlockTable::StreamId id_of(CUstream stream, std::unique_lock<std::mutex>& lock) const;
    Outcome allocate_new(std::size_t bytes, CUstream stream) const;
    bool knows_capture();
    CUresult allocate_from_pool(std::size_t bytes, CUstream stream, void*& pointer) const;
    void release_kept_blocks(std::uint64_t keep_bytes = 0);
    // Gives the ids of the streams that the side stream now waits for.
    std::set<BlockTable::StreamId> let_side_stream_wait(const std::vector<KeptBlock>& blocks);
    void keep_late(const KeptBlock& block);  // under the lock
    std::uint64_t pool_bytes(CUmemPool_attribute attribute) const;
    bool is_beyond_limit(std::size_t bytes) const;
    std::string out_of_memory_text(std::size_t bytes, std::string_view purpose) const;

    const DriverLibrary& driver_;
    std::string device_text_;
    CUmemoryPool pool_ = nullptr;
    CUstream side_stream_ = nullptr;              // never captured
    std::atomic<std::uint64_t> limit_bytes_ = 0;  // 0: none
    std::shared_mutex captures_mutex_;  // whoever begins one has it alone; taken before mutex_
    std::atomic<int> own_captures_ = 0;
    BlockCells legacy_cells_;  // of the legacy default stream, which cannot be captured
    std::mutex mutex_;
    BlockTable table_;
    std::vector<KeptBlock> late_;  // could not be freed in time, and are too large for the table
    std::size_t late_bytes_ = 0;
    std::unordered_set<void*> captured_;  // allocated under another's capture, not yet freed
    std::unordered_map<CUstream, BlockTable::StreamId> created_;
};

}  // namespace kgen
