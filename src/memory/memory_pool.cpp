// SPDX-License-Identifier: MIT
#include <kgen/memory_pool.hpp>

#include "device/memory_backend.hpp"
#include "device/registry.hpp"
#include "memory/pinned_pool.hpp"

namespace kgen {

namespace {

bool is_host(Device device) {
    return device.kind() == DeviceKind::host;
}

const MemoryBackend& pool_of(Device device) {
    return *backend(device).memory();
}

}  // namespace

MemoryPoolStatistics memory_pool_statistics(Device device) {
    return is_host(device) ? PinnedPool::get().statistics() : pool_of(device).pool_statistics();
}

void set_memory_pool_limit(std::uint64_t bytes, Device device) {
    if (is_host(device)) {
        PinnedPool::get().set_limit(bytes);
    } else {
        pool_of(device).set_pool_limit(bytes);
    }
}

void trim_memory_pool(std::uint64_t keep_bytes, Device device) {
    if (is_host(device)) {
        PinnedPool::get().trim(keep_bytes);
    } else {
        pool_of(device).trim_pool(keep_bytes);
    }
}

}  // namespace kgen
