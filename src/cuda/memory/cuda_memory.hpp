// SPDX-License-Identifier: MIT
//
// CudaMemory: stream-ordered memory of one GPU. It keeps freed blocks per stream and size (BlockTable) and
// gets new blocks from a memory pool of the driver (cuMemAllocFromPoolAsync). Thread-safe. The caller must
// have made the context current.
//
// Stream capture: each replay of a graph uses the blocks again that were allocated or freed while its stream
// was being captured, and kgen does not know when another library replays a graph. Therefore such a block is
// ordinary memory, not an allocation node, because the memory of a node does not exist between replays. Once
// a block was allocated or freed under capture, it is never reused. Blocks allocated in kgen's own capture()
// are an exception: the Graph owns them and frees them when it can no longer be replayed (CaptureRecord).
//
// If the user's program supplies memory (SuppliedMemory), allocate() returns such memory, except under capture.
// Freed supplied memory goes back to the user's allocator at once, or after a capture that forbids it.
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
#include <utility>
#include <vector>

#include "cuda/driver/driver_library.hpp"
#include "cuda/memory/block_table.hpp"
#include "cuda/memory/pool_access.hpp"
#include "device/supplied_memory.hpp"

namespace kgen {

class CudaMemory {
public:
    // `device_text` is for messages: "cuda:0". Throws DeviceError if the pool cannot be made.
    CudaMemory(const DriverLibrary& driver,
               CUdevice device,
               std::string device_text,
               SuppliedMemory& supplied);

    struct Outcome {
        void* pointer = nullptr;
        CUresult result = CUDA_SUCCESS;
    };
    // Allocates in the order of the stream. If memory is short, gives all kept blocks back to the driver and
    // tries again before it returns CUDA_ERROR_OUT_OF_MEMORY.
    Outcome allocate(std::size_t bytes, CUstream stream);
    // Frees a block in the order of the stream. If the stream is being captured, does nothing, because each
    // replay of the graph uses the block again.
    void free(void* pointer, std::size_t bytes, CUstream stream);
    // Frees memory that no graph uses, even if the stream is being captured.
    void free_unused(void* pointer, std::size_t bytes, CUstream stream);
    // Throws the DeviceError of a failed allocation. `purpose` says what the memory was for; it may be empty.
    [[noreturn]] void fail(CUresult result, std::size_t bytes, std::string_view purpose) const;

    // See kgen/memory_pool.hpp for the meaning of the numbers.
    MemoryPoolStatistics statistics();
    void set_limit(std::uint64_t bytes) noexcept { limit_bytes_.store(bytes); }
    // Gives kept blocks back to the driver; the driver's pool keeps `keep_bytes`. Waits for the streams that
    // used these blocks. Blocks of streams that are being captured are not given back. While any capture is
    // known, blocks of other libraries' streams are not given back either.
    void trim(std::uint64_t keep_bytes) { release_kept_blocks(keep_bytes); }

    // Allocate, zero or free at once, not in the order of a stream: for memory that a graph uses. They wait
    // until the operation is complete. No work may still use memory that is zeroed or freed.
    Outcome allocate_at_once(std::size_t bytes) const;
    CUresult zero_at_once(void* pointer, std::size_t bytes) const;
    CUresult free_at_once(void* pointer) const;
    // The stream of this work. It is never captured.
    CUstream side_stream() const noexcept { return side_stream_; }
    const PeerAccess& peer_access() const noexcept { return access_; }

    // Must be called after kgen has created a stream, and before it destroys the stream. release_stream()
    // gives the blocks of the stream back to the pool.
    void add_stream(CUstream stream);
    void release_stream(CUstream stream);

    static bool is_legacy(CUstream stream) noexcept {
        return stream == nullptr || stream == CU_STREAM_LEGACY;
    }
    bool is_capturing(CUstream stream) const;
    // Returns true if work that is not part of a graph must not be given to the stream now, because the
    // stream is being captured. For the legacy default stream, returns true while a blocking stream is being
    // captured, because work on the legacy stream would invalidate that capture.
    bool is_blocked(CUstream stream) const;
    // Waits for all work of the context. Returns nothing, without waiting, if a capture is known, because
    // waiting would invalidate it. Known captures are kgen's own, and captures by other libraries of a kgen
    // stream or of a blocking stream. The driver does not report others.
    std::optional<CUresult> wait_for_context();
    // Begins a capture of kgen's own. Waits while a thread waits for the context or holds hold_captures().
    CUresult begin_capture(CUstream stream);
    std::shared_lock<std::shared_mutex> hold_captures() {
        return std::shared_lock(captures_mutex_);
    }
    void note_end_of_capture() noexcept { own_captures_.fetch_sub(1); }

private:
    static constexpr BlockTable::StreamId legacy_id = 0;

    // Returns the id of a stream. Streams are identified by ids because a new stream may get the address of a
    // destroyed one. Ids of streams from add_stream() are known without asking the driver. `lock` holds
    // mutex_; it is released while the driver is asked.
    BlockTable::StreamId id_of(CUstream stream, std::unique_lock<std::mutex>& lock) const;
    void check(CUresult result, const char* call) const {
        driver_.check(result, call, device_text_);
    }
    Outcome allocate_new(std::size_t bytes, CUstream stream) const;
    bool knows_capture();
    CUresult allocate_from_pool(std::size_t bytes, CUstream stream, void*& pointer) const;
    void release_kept_blocks(std::uint64_t keep_bytes = 0);
    // Makes the side stream wait for the streams that used the blocks, as far as possible. Returns the ids of
    // the streams that it now waits for.
    std::set<BlockTable::StreamId> let_side_stream_wait(const std::vector<KeptBlock>& blocks);
    void keep_late(const KeptBlock& block);  // the caller holds mutex_
    // Frees supplied memory. Returns false if the block is none.
    bool free_supplied(void* pointer, CUstream stream);
    // Frees the supplied blocks that a capture kept, as far as their streams allow it.
    void free_late_supplied();
    std::uint64_t pool_bytes(CUmemPool_attribute attribute) const;
    bool is_beyond_limit(std::size_t bytes) const;
    std::string out_of_memory_text(std::size_t bytes, std::string_view purpose) const;

    const DriverLibrary& driver_;
    std::string device_text_;
    CUmemoryPool pool_ = nullptr;
    PeerAccess access_;                           // of the other GPUs to the pool
    CUstream side_stream_ = nullptr;              // for internal work
    std::atomic<std::uint64_t> limit_bytes_ = 0;  // 0 if there is no limit
    std::shared_mutex captures_mutex_;   // exclusive to begin a capture; locked before mutex_
    std::atomic<int> own_captures_ = 0;  // captures of kgen's own that have not ended
    BlockCells legacy_cells_;  // blocks of the legacy default stream, which cannot be captured
    std::mutex mutex_;         // guards all members below
    BlockTable table_;
    // Blocks that could not be freed because of a capture and are too large for the table.
    std::vector<KeptBlock> late_;
    std::size_t late_bytes_ = 0;
    // Blocks allocated while another library captured, not yet freed.
    std::unordered_set<void*> captured_;
    std::unordered_map<CUstream, BlockTable::StreamId> created_;
    // Supplied blocks that could not be freed because of a capture, and their streams. A stream is empty if it
    // may have been destroyed; its blocks are freed when the whole context was waited for.
    std::vector<std::pair<void*, std::optional<CUstream>>> late_supplied_;
    SuppliedMemory& supplied_;
};

}  // namespace kgen
