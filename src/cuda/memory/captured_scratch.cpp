// SPDX-License-Identifier: MIT
#include "cuda/memory/captured_scratch.hpp"

#include <mutex>
#include <utility>

#include "cuda/stream/captured_stream.hpp"

namespace kgen {

struct CapturedScratch::Block {
    void* pointer = nullptr;
    std::size_t bytes = 0;
    // The list that the block returns to after its graph; empty while it is in the list.
    std::shared_ptr<Returned> home;
    std::unique_ptr<Block> next;
};

// The returned blocks as an intrusive list, so that giving one back allocates nothing. No driver call is made
// while the lock is held, because a thread of the driver may wait for the lock.
struct CapturedScratch::Returned {
    std::mutex mutex;
    std::unique_ptr<Block> first;

    ~Returned() { drop(std::move(first)); }

    void put(std::unique_ptr<Block> block) noexcept {
        const std::lock_guard lock(mutex);
        block->next = std::move(first);
        first = std::move(block);
    }
    // Returns the smallest block that is large enough, or nullptr.
    std::unique_ptr<Block> take(std::size_t bytes) noexcept {
        const std::lock_guard lock(mutex);
        std::unique_ptr<Block>* best = nullptr;
        for (std::unique_ptr<Block>* at = &first; *at != nullptr; at = &(*at)->next) {
            if ((*at)->bytes >= bytes && (best == nullptr || (*at)->bytes < (*best)->bytes))
                best = at;
        }
        if (best == nullptr) return nullptr;
        std::unique_ptr<Block> taken = std::move(*best);
        *best = std::move(taken->next);
        return taken;
    }
    std::unique_ptr<Block> take_all() noexcept {
        const std::lock_guard lock(mutex);
        return std::move(first);
    }
    // Destroys a list in a loop, because recursive destructors of a long list would exhaust the stack.
    static void drop(std::unique_ptr<Block> block) noexcept {
        while (block != nullptr) block = std::move(block->next);
    }
};

CapturedScratch::CapturedScratch(const DriverLibrary& driver,
                                 CudaMemory& memory,
                                 std::string device_text)
    : driver_(driver),
      memory_(memory),
      device_text_(std::move(device_text)),
      returned_(std::make_shared<Returned>()) {}

void CapturedScratch::give_back(void* block) noexcept {
    std::unique_ptr<Block> owned(static_cast<Block*>(block));
    const std::shared_ptr<Returned> home = std::move(owned->home);
    home->put(std::move(owned));
}

CUresult CapturedScratch::free_returned() {
    std::unique_ptr<Block> block = returned_->take_all();
    CUresult result = CUDA_SUCCESS;
    while (block != nullptr) {
        const CUresult freed = memory_.free_at_once(block->pointer);
        if (result == CUDA_SUCCESS) result = freed;
        block = std::move(block->next);
    }
    return result;
}

std::unique_ptr<CapturedScratch::Block> CapturedScratch::find_block(std::size_t bytes) {
    if (std::unique_ptr<Block> block = returned_->take(bytes)) return block;
    auto block = std::make_unique<Block>();
    CudaMemory::Outcome outcome = memory_.allocate_at_once(bytes);
    if (outcome.result == CUDA_ERROR_OUT_OF_MEMORY && free_returned() == CUDA_SUCCESS)
        outcome = memory_.allocate_at_once(bytes);
    if (outcome.result != CUDA_SUCCESS) memory_.fail(outcome.result, bytes, scratch_purpose);
    block->pointer = outcome.pointer;
    block->bytes = bytes;
    return block;
}

Scratch CapturedScratch::take(std::size_t counters, std::size_t bytes, CUstream stream) {
    const CUgraph graph = captured_graph(driver_, stream, device_text_);
    const ScratchLayout layout(counters, bytes);
    std::unique_ptr<Block> block = find_block(layout.bytes);
    // A block that was used before is zeroed too, because its counters may have had another size.
    const CUresult zeroed = memory_.zero_at_once(block->pointer, layout.counter_bytes);
    const Scratch scratch = layout.in(block->pointer);
    if (zeroed != CUDA_SUCCESS) {
        returned_->put(std::move(block));
        driver_.fail(zeroed, "cuMemsetD8Async", device_text_);
    }
    // If there is no graph to own the memory, it stays allocated until the end of the process.
    if (graph != nullptr) {
        block->home = returned_;
        give_to_graph(driver_, graph, block.release(), give_back, device_text_);
    }
    return scratch;
}

}  // namespace kgen
