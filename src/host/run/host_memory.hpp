// SPDX-License-Identifier: MIT
//
// Memory of the host device. Large blocks that are freed are kept for the next array of about their
// size, as fresh memory costs several times what writing it does: the system clears it page by page.
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

    // Aligned to 64 bytes; nullptr for 0 bytes. Throws DeviceError if there is not so much.
    void* allocate(std::size_t bytes);
    // `bytes` as allocated.
    void free(void* pointer, std::size_t bytes) noexcept;

    std::size_t kept_bytes() const noexcept;

    static std::int64_t machine_bytes() noexcept;
    // An eighth of the machine's memory, and 1 GiB at most.
    static std::size_t default_kept_limit_bytes() noexcept;

private:
    struct Block {
        void* pointer;
        std::size_t bytes;
    };
    void* take_kept(std::size_t bytes) noexcept;
    void release_kept() noexcept;

    mutable cache::ForkMutex mutex_;
    std::vector<Block> kept_;  // the oldest first
    std::size_t kept_bytes_ = 0;
    std::size_t kept_limit_bytes_;
};

}  // namespace kgen
