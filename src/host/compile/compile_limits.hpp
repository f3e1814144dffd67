// SPDX-License-Identifier: MIT
//
// Limits of the host's compiler, read from the environment:
//
//     KGEN_COMPILE_TIMEOUT  time limit of one compile in seconds (default: 600)
//     KGEN_COMPILE_MEMORY   limit in bytes of the address space of each compiler process, and of the size
//                           of each file that it writes (default: 2 GiB)
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace kgen {

struct CompileLimits {
    std::chrono::seconds time{0};
    std::uint64_t memory_bytes = 0;  // 0: unlimited
    std::string memory;              // the setting as written: "512M"; for messages
};

// Logs a malformed variable once per process and uses its default (see setting.hpp).
CompileLimits read_compile_limits();

// Returns the warning of read_compile_limits() for each malformed variable; empty if all are valid.
std::vector<std::string> wrong_compile_limits();

}  // namespace kgen
