// SPDX-License-Identifier: MIT
//
// HostRawError: why the threads of a kernel could not go on, without the kernel's name, which only the
// launch knows.
#pragma once

#include <cstddef>
#include <string>

#include "host/kernel/host_raw_abi.hpp"
#include "host/run/fiber_block.hpp"

namespace kgen {

struct HostRawError {
    std::string text;
};

// A thread that waits, with its mask where a warp's function has one.
struct WaitingThread {
    HostIndex thread;
    WaitPlace place;
    unsigned mask = 0;
};

std::string describe_failure(const HostRawFailure& failure);
std::string describe_barriers(const HostIndex& block,
                              const WaitingThread& first,
                              const WaitingThread& other);
std::string describe_stuck(const HostIndex& block,
                           const WaitingThread& waiting,
                           const WaitingThread& missing);
// The dynamic shared memory that the launch gave to a block, and how many bytes of it were used.
std::string describe_shared_memory(std::size_t given_bytes, std::size_t used_bytes);
std::string describe_mask(const HostIndex& block, const WaitingThread& thread, unsigned lane);

}  // namespace kgen
