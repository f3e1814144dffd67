// SPDX-License-Identifier: MIT
//
// What the host's compiler may use, from the environment:
//
//     KGEN_COMPILE_TIMEOUT  seconds that a compile may take (600)
//     KGEN_COMPILE_MEMORY   bytes of memory that each process of the compiler may have, and of each file
//                           that it writes (2 GiB)
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace kgen {

struct CompileLimits {
    std::chrono::seconds time{0};
    std::uint64_t memory_bytes = 0;  // 0: unlimited
    std::string memory;              // as it was set: "512M"; for messages
};

// Throws DeviceError if a variable does not read.
CompileLimits read_compile_limits();

// What read_compile_limits() would throw about each variable; empty if all of them read.
std::vector<std::string> wrong_compile_limits();

}  // namespace kgen
