// SPDX-License-Identifier: MIT
//
// The memory that kgen keeps. Arrays on a GPU come from a pool of kgen's own, a free list in front of one
// of the driver's (cuMemPoolCreate); what they no longer need stays there for the next. Of the host, these
// functions mean pinned memory (kgen/pinned_memory.hpp): the rest is the system's.
#pragma once

#include <cstdint>
#include <kgen/device.hpp>
#include <kgen/export.hpp>

namespace kgen {

struct MemoryPoolStatistics {
    std::uint64_t used_bytes = 0;      // held by arrays, scratch memory and graphs
    std::uint64_t kept_bytes = 0;      // freed, and kept ready for the next of that size
    std::uint64_t reserved_bytes = 0;  // taken from the device: the above and what the driver keeps
    std::uint64_t most_reserved_bytes = 0;  // the most that it ever was
    std::uint64_t limit_bytes = 0;          // 0: none
};

// Thread safe.
KGEN_EXPORT MemoryPoolStatistics memory_pool_statistics(Device device = current_device());
// At most so many bytes are used and kept at once; 0: no limit but the device's. What would go
// beyond first gives back what is kept, for which a GPU is waited for, and then throws DeviceError.
// What is allocated already stays.
KGEN_EXPORT void set_memory_pool_limit(std::uint64_t bytes, Device device = current_device());
// Gives memory that nothing uses back to the device, all but `keep_bytes`. Waits for the streams of a GPU, not
// for copies from or to pinned memory. What belongs to a stream that is being captured stays.
KGEN_EXPORT void trim_memory_pool(std::uint64_t keep_bytes = 0, Device device = current_device());

}  // namespace kgen
