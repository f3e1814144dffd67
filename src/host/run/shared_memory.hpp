// SPDX-License-Identifier: MIT
//
// SharedMemory: the dynamic shared memory of the blocks that one CPU thread runs. A GPU stops a kernel that
// uses more than its launch gives it. Here the bytes behind the memory hold a pattern, and a launch that
// changed the pattern is reported.
#pragma once

#include <cstddef>

namespace kgen {

class SharedMemory {
public:
    SharedMemory() = default;
    ~SharedMemory();
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;

    // Returns `bytes` of memory, at most host_shared_bytes, aligned to a page. Their values are undefined.
    // The pattern lies behind them. Behind the largest memory that a launch may have lie pages that must not
    // be touched. Invalidates what was returned before. Throws DeviceError if there is not enough memory.
    void* take(std::size_t bytes);

    // Returns how many bytes were used since the last `take`: the bytes taken, or more if the pattern was
    // changed. Checks every byte of the 2 KB behind the memory, or every byte there is if none were taken.
    // Further on it checks one byte in 2 KB, so it finds arrays and misses single writes.
    std::size_t used_bytes() noexcept;

private:
    void fill(std::size_t from, std::size_t to) noexcept;
    std::byte* end() const noexcept;

    std::byte* begin_ = nullptr;
    std::size_t taken_ = 0;
    // Whether used_bytes was called since the last `take`. If so, the pattern is intact wherever used_bytes
    // looks.
    bool is_looked_at_ = false;
};

}  // namespace kgen
