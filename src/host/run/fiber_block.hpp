// SPDX-License-Identifier: MIT
//
// FiberBlock: runs the threads of a block that wait for each other. Each thread is a fiber of one CPU thread
// and runs until it waits. Then the next ready lane of its warp runs, and after the lanes the next warp. The
// order is the same in every run.
//
// A barrier opens when all threads that have not returned have arrived. A warp function completes when all
// lanes of its mask that have not returned have called it with the same mask (CUDA C++ Programming Guide,
// "Warp Shuffle Functions").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "host/kernel/host_raw_abi.hpp"

namespace kgen {

// The CUDA functions in which a thread waits for other threads: barriers, shuffles, votes and reductions. The
// enumerators are in the same order as those in kernel_templates/skeletons/warp_host.cuh.
enum class WaitKind : int {
    sync,
    sync_count,
    sync_and,
    sync_or,
    shuffle,
    shuffle_up,
    shuffle_down,
    shuffle_xor,
    sync_warp,
    ballot,
    any,
    all,
    match_any,
    match_all,
    add,
    min,
    max,
    unsigned_min,
    unsigned_max,
    bit_and,
    bit_or,
    bit_xor,
};

// The call in which a thread waits.
struct WaitPlace {
    WaitKind kind = WaitKind::sync;
    int line = 0;
    const char* file = nullptr;
    friend bool operator==(const WaitPlace&, const WaitPlace&) = default;
};

class FiberBlock : public HostFiberBlock {
public:
    static constexpr unsigned lanes_of_warp = 32;

    // The functions that a program calls. HostRawLaunch::fibers must point to a FiberBlock.
    static const HostFiberCalls calls;

    // Sets the memory for the stacks of the next launches, each of `stack_bytes`. The caller owns the memory.
    void set_stacks(std::byte* stacks, std::size_t stack_bytes, bool by_context) noexcept;
    // Called on a fiber: stores the text of the HostRawError that `finish` throws. Returns the main fiber.
    HostFiber* fail(std::string text) noexcept;

private:
    struct Fiber : HostFiber {
        unsigned warp = 0;
        unsigned mask = 0;  // mask of the warp function in which it waits
        int argument = 0;   // the lane from which a shuffle reads
        WaitPlace place;
    };
    struct Warp {
        unsigned ready = 0;    // lanes that may run
        unsigned live = 0;     // lanes that have not returned
        unsigned waiting = 0;  // lanes in a warp function
        unsigned asking = 0;   // lanes in __activemask
        Fiber* lanes = nullptr;
    };

    void start(const HostRawLaunch& launch, void (*fiber_main)());
    HostFiber* begin(const HostIndex& index) noexcept;
    HostFiber* arrive(Fiber& fiber, const WaitPlace& place, bool counts) noexcept;
    HostFiber* join(Fiber& fiber, const WaitPlace& place, unsigned mask, int argument) noexcept;
    HostFiber* ask(Fiber& fiber, const WaitPlace& place) noexcept;
    HostFiber* leave(Fiber& fiber) noexcept;
    void finish();

    HostFiber* next(unsigned warp_index) noexcept;
    void open_barrier() noexcept;
    void answer(Warp& warp) noexcept;
    bool complete(Warp& warp, unsigned mask, unsigned lanes, WaitKind kind) noexcept;
    HostFiber* fail_stuck() noexcept;

    unsigned ready_ = 0;  // warps that may have a lane to run
    unsigned warp_count_ = 0;
    unsigned thread_count_ = 0;
    unsigned live_ = 0;     // threads that have not returned
    unsigned arrived_ = 0;  // threads at the barrier
    unsigned count_ = 0;    // threads that passed true to it
    WaitPlace barrier_;
    const Fiber* first_ = nullptr;  // the first thread at the barrier
    HostIndex index_;
    std::exception_ptr failure_;
    Fiber main_;
    std::array<Warp, 32> warps_;
    std::vector<Fiber> fibers_;

    std::byte* stacks_ = nullptr;
    std::size_t stack_bytes_ = 0;
    bool by_context_ = false;
    std::vector<std::byte> contexts_;
};

}  // namespace kgen
