// SPDX-License-Identifier: MIT
//
// Runs a program and collects its output, with a cleaned environment and limits on output, memory and time.
// Works with any signal settings of this process. The program and all that it starts end with this process.
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
    // Value of TMPDIR for the program; if empty, TMPDIR is unchanged. The directory is removed if this
    // process ends before the program.
    std::string temporary_directory;
    std::string working_directory = {};    // empty: unchanged
    std::chrono::milliseconds timeout{0};  // 0: no limit
    std::size_t output_limit_bytes = 64 * 1024;
    std::uint64_t memory_limit_bytes = 0;  // for each process and each file; 0: no limit
};

struct ChildResult {
    // Empty if a signal ended the child, or if the status was lost because SIGCHLD is ignored or another
    // thread waited for the child.
    std::optional<int> exit_status;
    int signal = 0;  // the signal that ended the child, or 0
    bool timed_out = false;
    std::string output;  // stdout and stderr in order of arrival, cut at the limit
};

// Throws DeviceError if the program cannot be started.
ChildResult run_child(const ChildJob& job);

// Returns the directories in which programs are searched: PATH, or "/usr/bin:/bin" if PATH is empty or unset.
std::string program_path();

// Returns the environment of a child: this process's environment with PATH=program_path(), LC_ALL=C,
// TMPDIR=`temporary_directory` if that is not empty, and without the variables that change what a compiler reads or writes (LD_PRELOAD,
// CPATH, LIBRARY_PATH, GCC_EXEC_PREFIX...).
std::vector<std::string> clean_environment(const std::string& temporary_directory);

}  // namespace kgen
