// SPDX-License-Identifier: MIT
#include <kgen/memory_allocator.hpp>
#include <kgen/memory_pool.hpp>
#include <utility>

#include "device/memory_backend.hpp"
#include "device/registry.hpp"
#include "device/supplied_memory.hpp"
#include "memory/pinned_pool.hpp"
#include "text/rethrow.hpp"

namespace kgen {

// The pool of a device that uses the host's memory is that of pinned memory.
MemoryPoolStatistics memory_pool_statistics(Device device) try {
    const MemoryBackend* const own = backend(device).memory();
    return own != nullptr ? own->pool_statistics() : PinnedPool::get().statistics();
} catch (...) {
    rethrow_as_error();
}

void set_memory_pool_limit(std::uint64_t bytes, Device device) try {
    if (const MemoryBackend* const own = backend(device).memory()) {
        own->set_pool_limit(bytes);
    } else {
        PinnedPool::get().set_limit(bytes);
    }
} catch (...) {
    rethrow_as_error();
}

void set_memory_allocator(MemoryAllocator allocator, Device device) try {
    SuppliedMemory::of(device).set(std::move(allocator));
} catch (...) {
    rethrow_as_error();
}

void trim_memory_pool(std::uint64_t keep_bytes, Device device) try {
    if (const MemoryBackend* const own = backend(device).memory()) {
        own->trim_pool(keep_bytes);
    } else {
        PinnedPool::get().trim(keep_bytes);
    }
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
