// SPDX-License-Identifier: MIT
//
// SharedMemory: the dynamic shared memory of the blocks that one thread of the CPU runs. A GPU stops a kernel
// that uses more than its launch gives it; here what lies behind is filled with a pattern, and a launch
// that changed it is told.
#pragma once

#include <cstddef>

namespace kgen {

class SharedMemory {
public:
    SharedMemory() = default;
    ~SharedMemory();
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;

    // `bytes` of memory, at most host_shared_bytes, aligned to a page; their values are not defined. Behind
    // them lies the pattern, and behind the largest memory that a launch may have, pages that must not be
    // touched. What was returned before is no longer valid. Throws DeviceError if there is no memory.
    void* take(std::size_t bytes);

    // How many bytes have been used since the last `take`: what it took, or more. Looks at each byte of the 2 KB
    // behind them, and at every byte if none were taken. Further on it looks at one in 2 KB, so that it finds
    // arrays and misses single writes.
    std::size_t used_bytes() noexcept;

private:
    void fill(std::size_t from, std::size_t to) noexcept;
    std::byte* end() const noexcept;

    std::byte* begin_ = nullptr;
    std::size_t taken_ = 0;
    // Whether used_bytes was called since the last `take`: then the pattern is wherever it looks.
    bool is_looked_at_ = false;
};

}  // namespace kgen
