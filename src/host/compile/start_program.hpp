// SPDX-License-Identifier: MIT
//
// Starts a program as a child of this process, as posix_spawn does, with limits and without the open files of
// this process.
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
    std::string working_directory = {};  // empty: as it is
    ::pid_t group = 0;                   // the process group; 0: one of its own
    // The limit of address space and of each file, for the child and those that it starts; 0 leaves it as it is.
    std::uint64_t memory_bytes = 0;
};

// The child has default signal handling and an empty mask, so that a parent that ignores SIGCHLD or
// blocks signals does not break it, and dumps no core. Throws DeviceError if the program cannot be
// started. Thread safe; takes no longer where this process is large.
::pid_t start_program(const ProgramStart& start);

// Throws the DeviceError that says so; `call` failed with `code`.
[[noreturn]] void fail_to_start(const std::string& program, const char* call, int code);

}  // namespace kgen
