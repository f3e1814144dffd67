// SPDX-License-Identifier: MIT
//
// BlockTable: freed blocks of device memory, kept for the next allocation of the same size on the same
// stream. Reuse within a stream needs no waiting, because new work runs after the old. Does not call the
// driver. Not thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace kgen {

struct KeptBlock {
    std::uint64_t stream = 0;
    std::size_t bytes = 0;
    void* pointer = nullptr;
    friend bool operator==(const KeptBlock&, const KeptBlock&) = default;
};

class BlockTable {
public:
    using StreamId = std::uint64_t;

    // Larger blocks are not kept, because the driver's pool is fast enough for them.
    static constexpr std::size_t largest_bytes = std::size_t{32} << 20;
    // Limit of the size of all kept blocks together.
    static constexpr std::size_t capacity_bytes = std::size_t{512} << 20;

    // Returns the size that a request is rounded up to. Up to largest_bytes it is a multiple of 256 bytes,
    // with eight sizes per power of two, so at most 1/8 is wasted. Beyond that it is a multiple of 2 MiB.
    static std::size_t block_bytes(std::size_t bytes) noexcept;
    // Returns the size class of a request. Requests of one class get blocks of the same size.
    static constexpr std::size_t class_of(std::size_t bytes) noexcept {
        const std::size_t units = units_of(bytes);
        if (units <= steps) return units - 1;
        const Step step = step_of(units);
        return steps + step.doubling * steps + (step.place - steps - 1);
    }

    // Returns the block size of a class.
    static constexpr std::size_t bytes_of_class(std::size_t number) noexcept {
        if (number < steps) return (number + 1) * unit_bytes;
        const std::size_t doubling = (number - steps) / steps;
        return (((number - steps) % steps + steps + 1) << doubling) * unit_bytes;
    }

    // Returns a block of block_bytes(bytes), or nullptr.
    void* take(StreamId stream, std::size_t bytes) noexcept;
    // Returns false if the block was not kept, because it is too large or the table is full.
    bool keep(StreamId stream, std::size_t bytes, void* block);

    // Removes and returns all blocks of one stream, or of all streams.
    std::vector<KeptBlock> drain(StreamId stream);
    std::vector<KeptBlock> drain();
    // Puts a drained block back, even if the table is full.
    void restore(const KeptBlock& block);

    std::size_t kept_bytes() const noexcept { return kept_bytes_; }

private:
    static constexpr std::size_t unit_bytes = 256;
    static constexpr std::size_t steps = 8;

    // The position of a size of more than `steps` units among the sizes: units = place << doubling.
    struct Step {
        std::size_t doubling;  // 0 for 9..16 units, 1 for 18..32, ...
        std::size_t units;     // the size, rounded up
        std::size_t place;     // 9..16
    };
    static constexpr Step step_of(std::size_t units) noexcept {
        const std::size_t doubling = static_cast<std::size_t>(std::bit_width(units - 1)) - 4;
        const std::size_t place = ((units - 1) >> doubling) + 1;
        return {doubling, place << doubling, place};
    }
    static constexpr std::size_t units_of(std::size_t bytes) noexcept {
        return bytes == 0 ? 1 : (bytes - 1) / unit_bytes + 1;
    }

    // 8 classes up to 2 KiB, then 8 for each doubling up to 32 MiB.
    static constexpr std::size_t class_count = 120;

    using Classes = std::array<std::vector<void*>, class_count>;
    std::unordered_map<StreamId, Classes> streams_;
    std::size_t kept_bytes_ = 0;
};

// BlockCells: a lock-free cache of memory blocks that one stream has freed, at most one for each block size.
// It serves loops of launches that allocate new outputs. Allocations that miss it go to BlockTable.
// Thread-safe.
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
