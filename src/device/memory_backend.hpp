// SPDX-License-Identifier: MIT
//
// MemoryBackend: what a device with memory of its own can do beside allocating it: tell what an
// address is, pin memory of the host, copy while the host goes on, and account for its pool. All
// functions are thread safe and throw DeviceError, naming the call that failed and the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kgen/memory_pool.hpp>

#include "device/backend.hpp"

namespace kgen {

enum class MemoryKind : std::uint8_t {
    unknown,  // not the driver's: plain memory of the host, freed, or nothing at all
    host,     // of the host, pinned: devices reach it
    device,
    managed,  // moves between the host and devices
};

// What the driver knows of an address.
struct AddressFacts {
    MemoryKind kind = MemoryKind::unknown;
    int ordinal = 0;  // of device memory
    // The allocation around the address, or the part of it that was mapped at once.
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
};

class MemoryBackend {
public:
    virtual ~MemoryBackend() = default;

    virtual AddressFacts look_up(const void* address) const = 0;

    // Memory of the host that devices copy to and from by themselves; aligned to 256 bytes at least.
    virtual void* allocate_pinned(std::size_t bytes) const = 0;
    virtual void free_pinned(void* pointer) const noexcept = 0;
    // Between pinned memory and the device's, in the order of `stream`; returns at once.
    virtual void copy_pinned(void* destination,
                             const void* source,
                             std::size_t bytes,
                             CopyDirection direction,
                             StreamHandle stream) const = 0;

    virtual MemoryPoolStatistics pool_statistics() const = 0;
    // 0: none. What is allocated already stays.
    virtual void set_pool_limit(std::uint64_t bytes) const = 0;
    virtual void trim_pool(std::uint64_t keep_bytes) const = 0;
};

}  // namespace kgen
