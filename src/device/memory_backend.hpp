// SPDX-License-Identifier: MIT
//
// MemoryBackend: further memory functions of a device that has its own memory. They look up addresses, pin
// host memory, copy asynchronously, and report on and limit the memory pool. All functions are thread safe.
// They throw DeviceError, which names the failed call and the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kgen/memory_pool.hpp>

#include "device/backend.hpp"

namespace kgen {

enum class MemoryKind : std::uint8_t {
    unknown,  // the driver does not know the address: ordinary host memory, freed, or never allocated
    host,     // pinned host memory, which devices can access
    device,
    managed,  // the driver moves it between the host and devices
};

// The driver's information about an address.
struct AddressFacts {
    MemoryKind kind = MemoryKind::unknown;
    int ordinal = 0;  // the device, if kind is device
    // The allocation that contains the address, or the part of it that was mapped in one call.
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
};

class MemoryBackend {
public:
    virtual ~MemoryBackend() = default;

    virtual AddressFacts look_up(const void* address) const = 0;

    // Allocates pinned host memory, which devices can copy to and from directly. It is aligned to at least
    // 256 bytes.
    virtual void* allocate_pinned(std::size_t bytes) const = 0;
    virtual void free_pinned(void* pointer) const noexcept = 0;
    // Enqueues a copy between pinned memory and device memory in `stream`, and returns at once.
    virtual void copy_pinned(void* destination,
                             const void* source,
                             std::size_t bytes,
                             CopyDirection direction,
                             StreamHandle stream) const = 0;

    virtual MemoryPoolStatistics pool_statistics() const = 0;
    // Limits the size of the pool; 0 means no limit. Memory that is already allocated stays.
    virtual void set_pool_limit(std::uint64_t bytes) const = 0;
    virtual void trim_pool(std::uint64_t keep_bytes) const = 0;
};

}  // namespace kgen
