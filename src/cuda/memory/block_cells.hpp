// SPDX-License-Identifier: MIT
//
// BlockCells: a lock-free cache of memory blocks that one stream has freed, at most one for each block size.
// It serves loops of launches that allocate new outputs. Allocations that miss it go to BlockTable.
// Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <vector>

#include "cuda/memory/block_table.hpp"

namespace kgen {

class BlockCells {
public:
    // Larger blocks are not kept, so that all cells together hold less than 16 MiB.
    static constexpr std::size_t largest_bytes = std::size_t{1} << 20;

    // Returns a block of BlockTable::block_bytes(bytes), or nullptr.
    void* take(std::size_t bytes) noexcept {
        if (bytes > largest_bytes) return nullptr;
        std::atomic<void*>& cell = cells_[BlockTable::class_of(bytes)];
        if (cell.load(std::memory_order_relaxed) == nullptr) return nullptr;
        return cell.exchange(nullptr, std::memory_order_acq_rel);
    }
    // Returns false if the block was not kept, because it is too large or its cell is occupied.
    bool keep(std::size_t bytes, void* block) noexcept {
        if (bytes > largest_bytes) return false;
        void* expected = nullptr;
        return cells_[BlockTable::class_of(bytes)].compare_exchange_strong(
            expected, block, std::memory_order_acq_rel);
    }
    // Removes and returns all blocks.
    std::vector<KeptBlock> drain(BlockTable::StreamId stream) {
        std::vector<KeptBlock> drained;
        for (std::size_t k = 0; k < cells_.size(); ++k) {
            if (void* block = cells_[k].exchange(nullptr, std::memory_order_acq_rel))
                drained.push_back({stream, BlockTable::bytes_of_class(k), block});
        }
        return drained;
    }

    // Returns the size of all kept blocks. The number is approximate while other threads take and keep
    // blocks.
    std::size_t kept_bytes() const noexcept {
        std::size_t bytes = 0;
        for (std::size_t k = 0; k < cells_.size(); ++k) {
            if (cells_[k].load(std::memory_order_relaxed) != nullptr)
                bytes += BlockTable::bytes_of_class(k);
        }
        return bytes;
    }

private:
    std::array<std::atomic<void*>, BlockTable::class_of(largest_bytes) + 1> cells_ = {};
};

}  // namespace kgen
