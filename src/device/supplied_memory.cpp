// SPDX-License-Identifier: MIT
#include "device/supplied_memory.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <exception>
#include <kgen/error.hpp>
#include <map>
#include <utility>

#include "device/device_traits.hpp"
#include "text/error_parts.hpp"
#include "text/log.hpp"

namespace kgen {

SuppliedMemory& SuppliedMemory::of(Device device) {
    static auto* const mutex = new std::mutex;
    static auto* const all = new std::map<std::string, std::unique_ptr<SuppliedMemory>>;
    const std::lock_guard lock(*mutex);
    std::unique_ptr<SuppliedMemory>& found = (*all)[to_text(device)];
    if (found == nullptr) found = std::make_unique<SuppliedMemory>(device);
    return *found;
}

void SuppliedMemory::set(MemoryAllocator allocator) {
    const bool allocates = static_cast<bool>(allocator.allocate);
    const bool frees = static_cast<bool>(allocator.free);
    if (allocates != frees) {
        refuse<TypeError>(
            {ErrorKind::argument_count, allocates ? "free" : "allocate", "a function", "none"},
            "set_memory_allocator: got {0} without {1}, expected both or none",
            allocates ? "allocate" : "free",
            allocates ? "free" : "allocate");
    }
    std::shared_ptr<const MemoryAllocator> made;
    if (allocates) made = std::make_shared<const MemoryAllocator>(std::move(allocator));
    const std::lock_guard lock(mutex_);
    allocator_.swap(made);
    is_set_.store(allocates, std::memory_order_relaxed);
    // The lock is released before `made`, whose functions may own objects of the user's.
}

void SuppliedMemory::fail(std::size_t bytes, const char* why) const {
    throw DeviceError(
        fmt::format("{}: the allocator of set_memory_allocator cannot allocate {} bytes: {}",
                    to_text(device_),
                    bytes,
                    why),
        "set_memory_allocator");
}

void SuppliedMemory::give_back(void* pointer,
                               const Block& block,
                               StreamHandle stream) const noexcept {
    const auto report = [&](const char* why) {
        try {
            log().error("{}: the allocator of set_memory_allocator did not free {} bytes: {}",
                        to_text(device_),
                        block.bytes,
                        why);
        } catch (...) {  // a destructor has no other place to report to
        }
    };
    try {
        block.allocator->free(pointer, block.bytes, stream);
    } catch (const std::exception& error) {
        report(error.what());
    } catch (...) {
        report("it threw an exception that is no std::exception");
    }
}

void* SuppliedMemory::allocate(std::size_t bytes, StreamHandle stream) {
    Block block{bytes, nullptr};
    {
        const std::lock_guard lock(mutex_);
        block.allocator = allocator_;
    }
    if (block.allocator == nullptr) return nullptr;
    void* pointer = nullptr;
    try {
        pointer = block.allocator->allocate(bytes, stream);
    } catch (const std::exception& error) {
        fail(bytes, error.what());
    } catch (...) {
        fail(bytes, "it threw an exception that is no std::exception");
    }
    if (pointer == nullptr) fail(bytes, "it returned nullptr");
    const std::size_t alignment = traits(device_).is_asynchronous ? 256 : 64;
    if (reinterpret_cast<std::uintptr_t>(pointer) % alignment != 0) {
        give_back(pointer, block, stream);
        fail(bytes, fmt::format("its address is not a multiple of {} bytes", alignment).c_str());
    }
    bool is_new = false;
    try {
        const std::lock_guard lock(mutex_);
        is_new = blocks_.try_emplace(pointer, block).second;
    } catch (...) {  // there is no memory for the table
        give_back(pointer, block, stream);
        throw;
    }
    if (!is_new) fail(bytes, "it returned memory that is still in use");
    block_count_.fetch_add(1, std::memory_order_relaxed);
    return pointer;
}

bool SuppliedMemory::has(void* pointer) const {
    const std::lock_guard lock(mutex_);
    return blocks_.contains(pointer);
}

bool SuppliedMemory::free(void* pointer, StreamHandle stream) noexcept {
    decltype(blocks_)::node_type taken;
    {
        const std::lock_guard lock(mutex_);
        taken = blocks_.extract(pointer);
    }
    if (taken.empty()) return false;
    block_count_.fetch_sub(1, std::memory_order_relaxed);
    give_back(pointer, taken.mapped(), stream);
    return true;
}

}  // namespace kgen
