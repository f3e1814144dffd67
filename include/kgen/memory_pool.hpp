// SPDX-License-Identifier: MIT
//
// kgen's memory pools. Arrays on a GPU are allocated from a pool of kgen: a free list in front of a pool of
// the driver (cuMemPoolCreate). Freed memory stays in the pool for later arrays. For the host device these
// functions report and limit pinned memory (kgen/pinned_memory.hpp); other host memory is not pooled.
#pragma once

#include <cstdint>
#include <kgen/device.hpp>
#include <kgen/export.hpp>

namespace kgen {

struct MemoryPoolStatistics {
    std::uint64_t used_bytes = 0;      // in use by arrays, scratch memory and graphs
    std::uint64_t kept_bytes = 0;      // freed, and kept for the next allocation of the same size
    std::uint64_t reserved_bytes = 0;  // taken from the device: used, kept, and kept by the driver
    union {
        std::uint64_t peak_reserved_bytes = 0;  // largest value of reserved_bytes so far
        [[deprecated("use peak_reserved_bytes")]] std::uint64_t most_reserved_bytes;
    };
    std::uint64_t limit_bytes = 0;  // 0: no limit
};

// Thread-safe.
KGEN_EXPORT MemoryPoolStatistics memory_pool_statistics(Device device = current_device());
// Limits the sum of used and kept bytes; 0 means no limit but the device's memory. An allocation that would
// exceed the limit first returns kept memory to the device, which waits for a GPU's work, and throws
// DeviceError if that is not enough. Memory that is already allocated stays.
KGEN_EXPORT void set_memory_pool_limit(std::uint64_t bytes, Device device = current_device());
// Returns unused memory to the device, except for `keep_bytes`. Waits for the streams of a GPU, but not for
// copies from or to pinned memory. Memory of a stream that is being captured stays in the pool.
KGEN_EXPORT void trim_memory_pool(std::uint64_t keep_bytes = 0, Device device = current_device());

}  // namespace kgen
