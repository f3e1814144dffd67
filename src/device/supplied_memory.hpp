// SPDX-License-Identifier: MIT
//
// SuppliedMemory: the memory of one device that the user's allocator supplies (set_memory_allocator).
#pragma once

#include <atomic>
#include <cstddef>
#include <kgen/memory_allocator.hpp>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "device/backend.hpp"

namespace kgen {

// Thread-safe. Holds no lock while it calls the user's functions.
class SuppliedMemory {
public:
    explicit SuppliedMemory(Device device) : device_(device) {}

    // Returns the object of a device. It is never destroyed.
    static SuppliedMemory& of(Device device);

    void set(MemoryAllocator allocator);
    // Whether an allocator is set. Takes no lock.
    bool is_set() const noexcept { return is_set_.load(std::memory_order_relaxed); }
    // Whether any block is in use. Takes no lock.
    bool has_blocks() const noexcept { return block_count_.load(std::memory_order_relaxed) != 0; }
    // Returns memory of the allocator; nullptr if none is set. Throws DeviceError if the allocator fails.
    void* allocate(std::size_t bytes, StreamHandle stream);
    bool has(void* pointer) const;
    // Frees a block by the allocator that supplied it. Returns false if the block is not supplied memory.
    bool free(void* pointer, StreamHandle stream) noexcept;

private:
    struct Block {
        std::size_t bytes;
        std::shared_ptr<const MemoryAllocator> allocator;
    };
    [[noreturn]] void fail(std::size_t bytes, const char* why) const;
    void give_back(void* pointer, const Block& block, StreamHandle stream) const noexcept;

    const Device device_;
    std::atomic<bool> is_set_ = false;
    std::atomic<std::size_t> block_count_ = 0;
    mutable std::mutex mutex_;  // guards all members below
    std::shared_ptr<const MemoryAllocator> allocator_;
    std::unordered_map<void*, Block> blocks_;
};

}  // namespace kgen
