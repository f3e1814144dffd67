// SPDX-License-Identifier: MIT
//
// HostRawError: why the threads of a kernel could not continue. The text does not name the kernel, because
// only the launch knows its name.
#pragma once

#include <cstddef>
#include <string>

#include "host/kernel/host_raw_abi.hpp"
#include "host/run/fiber_block.hpp"

namespace kgen {

struct HostRawError {
    std::string text;
};

// A thread that waits, with its mask if it waits in a warp function.
struct WaitingThread {
    HostIndex thread;
    WaitPlace place;
    unsigned mask = 0;
};

std::string describe_failure(const HostRawFailure& failure);
// The same without the thread.
std::string what_failed(const HostRawFailure& failure);
std::string describe_barriers(const HostIndex& block,
                              const WaitingThread& first,
                              const WaitingThread& other);
std::string describe_stuck(const HostIndex& block,
                           const WaitingThread& waiting,
                           const WaitingThread& missing);
// Describes a block that used more dynamic shared memory than its launch gave it.
std::string describe_shared_memory(std::size_t given_bytes, std::size_t used_bytes);
std::string describe_mask(const HostIndex& block, const WaitingThread& thread, unsigned lane);

}  // namespace kgen
