// SPDX-License-Identifier: MIT
//
// FiberStacks: the stacks of a block's threads. Below each stack lies a guard that must not be touched, so
// that an overflow ends the process at once instead of writing into another thread's variables.
#pragma once

#include <cstddef>

namespace kgen {

// Returns the size of one stack with its guard: `least_bytes`, plus room for the frames of a program's
// functions if they are large. `frame_bytes` is the size of these frames; pass the largest number if it is
// unknown. The room is limited to about the local memory of a CUDA thread.
std::size_t fiber_stack_bytes(std::size_t least_bytes, unsigned long long frame_bytes) noexcept;

class FiberStacks {
public:
    FiberStacks() = default;
    ~FiberStacks();
    FiberStacks(const FiberStacks&) = delete;
    FiberStacks& operator=(const FiberStacks&) = delete;

    // Returns at least `count` stacks of `stack_bytes` (from fiber_stack_bytes), one after the other.
    // Invalidates the stacks returned before. Pages take memory only once they are touched. Throws
    // DeviceError if there is not enough memory.
    std::byte* take(unsigned count, std::size_t stack_bytes);

    // Returns the memory of large stacks to the system. The next `take` allocates new ones.
    void trim() noexcept;

private:
    void release() noexcept;

    std::byte* begin_ = nullptr;
    unsigned count_ = 0;
    std::size_t stack_bytes_ = 0;
    unsigned guards_ = 0;  // guards that split the mapping
};

}  // namespace kgen
