// SPDX-License-Identifier: MIT
//
// FiberStacks: the stacks of a block's threads, below each a page that must not be touched, so that an
// overflow ends the process at its place instead of writing into another thread's variables.
#pragma once

#include <cstddef>

namespace kgen {

class FiberStacks {
public:
    FiberStacks() = default;
    ~FiberStacks();
    FiberStacks(const FiberStacks&) = delete;
    FiberStacks& operator=(const FiberStacks&) = delete;

    // At least `count` stacks of `stack_bytes` (whole pages, the guard page included), one after the
    // other. What was returned before is no longer valid. Memory is used where it is touched. Throws
    // DeviceError if there is none.
    std::byte* take(unsigned count, std::size_t stack_bytes);

private:
    void release() noexcept;

    std::byte* begin_ = nullptr;
    unsigned count_ = 0;
    std::size_t stack_bytes_ = 0;
    unsigned guards_ = 0;
};

}  // namespace kgen
