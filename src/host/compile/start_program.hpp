// SPDX-License-Identifier: MIT
//
// Starts a program as a child of this process, like posix_spawn, but with limits and without inheriting this
// process's open files.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace kgen {

struct ProgramStart {
    std::vector<std::string> arguments;  // [0] is the program's path
    std::vector<std::string> variables;  // the whole environment, "NAME=value"
    int input = -1;                      // becomes stdin
    int output = -1;                     // becomes stdout and stderr
    std::string working_directory = {};  // empty: unchanged
    ::pid_t group = 0;                   // process group; 0: a new one
    // Limit in bytes of the address space and of each file's size, for the child and its own children; 0:
    // unchanged.
    std::uint64_t memory_bytes = 0;
};

// Starts the program with default signal handling, an empty signal mask and no core dumps, so that it works
// even if this process ignores SIGCHLD or blocks signals. Throws DeviceError if the program cannot be
// started. Thread-safe. The time does not depend on the memory size of this process.
::pid_t start_program(const ProgramStart& start);

// Throws a DeviceError that says that `program` could not be started because `call` failed with errno `code`.
[[noreturn]] void fail_to_start(const std::string& program, const char* call, int code);

}  // namespace kgen
