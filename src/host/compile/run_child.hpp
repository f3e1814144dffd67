// SPDX-License-Identifier: MIT
//
// Runs a program and collects what it prints: a cleaned environment, bounded output, memory and time,
// whatever the signal settings of this process. The program and what it started end with this process.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kgen {

struct ChildJob {
    std::vector<std::string> arguments;  // [0] is the program's path
    std::string input_path = "/dev/null";
    // Becomes TMPDIR, and is removed if this process ends before the program; empty: as it is.
    std::string temporary_directory;
    std::string working_directory = {};    // empty: as it is
    std::chrono::milliseconds timeout{0};  // 0: none
    std::size_t output_limit_bytes = 64 * 1024;
    std::uint64_t memory_limit_bytes = 0;  // of each process, and of each file; 0: none
};

struct ChildResult {
    // Nothing where the status went to somebody else: SIGCHLD is ignored, or another thread waited.
    std::optional<int> exit_status;
    int signal = 0;  // that ended the child
    bool timed_out = false;
    std::string output;  // stdout and stderr as they came, cut at the limit
};

// Throws DeviceError if the program cannot be started.
ChildResult run_child(const ChildJob& job);

// The environment of a child: this process's without the variables that change what a compiler
// reads or writes (LD_PRELOAD, CPATH, LIBRARY_PATH, GCC_EXEC_PREFIX...), with LC_ALL=C.
std::vector<std::string> clean_environment(const std::string& temporary_directory);

}  // namespace kgen
