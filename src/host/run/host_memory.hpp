// SPDX-License-Identifier: MIT
//
// Memory of the host device. Large freed blocks are kept for the next array of about their size, because
// fresh memory costs several times as much as writing to it: the system clears it page by page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "fork_mutex.hpp"

namespace kgen {

class HostMemory {
public:
    // Keeps at most `kept_limit_bytes` of freed memory.
    explicit HostMemory(std::size_t kept_limit_bytes = default_kept_limit_bytes()) noexcept
        : kept_limit_bytes_(kept_limit_bytes) {}
    ~HostMemory();
    HostMemory(const HostMemory&) = delete;
    HostMemory& operator=(const HostMemory&) = delete;

    // Returns memory aligned to 64 bytes, or nullptr for 0 bytes. Throws DeviceError if there is not enough.
    void* allocate(std::size_t bytes);
    // `bytes` is the size passed to allocate().
    void free(void* pointer, std::size_t bytes) noexcept;

    std::size_t kept_bytes() const noexcept;

    static std::int64_t machine_bytes() noexcept;
    // An eighth of the machine's memory, at most 1 GiB.
    static std::size_t default_kept_limit_bytes() noexcept;

private:
    struct Block {
        void* pointer;
        std::size_t bytes;
    };
    void* take_kept(std::size_t bytes) noexcept;
    void release_kept() noexcept;

    mutable cache::ForkMutex mutex_;
    std::vector<Block> kept_;  // oldest first
    std::size_t kept_bytes_ = 0;
    std::size_t kept_limit_bytes_;
};

}  // namespace kgen
