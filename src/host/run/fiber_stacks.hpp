// SPDX-License-Identifier: MIT
//
// FiberStacks: the stacks of a block's threads, each above a guard that must not be touched, so that an
// overflow ends the process at its place instead of writing into another thread's variables.
#pragma once

#include <cstddef>

namespace kgen {

// The size of one stack with its guard: `least_bytes`, and where the frames of a program's functions are
// large, room for these too. Frames count up to what a thread may have on a GPU; the largest number
// means that they are not known.
std::size_t fiber_stack_bytes(std::size_t least_bytes, unsigned long long frame_bytes) noexcept;

class FiberStacks {
public:
    FiberStacks() = default;
    ~FiberStacks();
    FiberStacks(const FiberStacks&) = delete;
    FiberStacks& operator=(const FiberStacks&) = delete;

    // At least `count` stacks of `stack_bytes` (as fiber_stack_bytes gives them), one after the other.
    // What was returned before is no longer valid. Memory is used where it is touched. Throws DeviceError
    // if there is none.
    std::byte* take(unsigned count, std::size_t stack_bytes);

    // Gives large stacks back to the system, of which the next `take` gets new ones.
    void trim() noexcept;

private:
    void release() noexcept;

    std::byte* begin_ = nullptr;
    unsigned count_ = 0;
    std::size_t stack_bytes_ = 0;
    unsigned guards_ = 0;  // that cut the mapping
};

}  // namespace kgen
