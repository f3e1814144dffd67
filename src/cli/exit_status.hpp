// SPDX-License-Identifier: MIT
//
// How the command ends: each kind of failure has an exit status and prints one message to stderr.
#pragma once

#include <exception>
#include <functional>
#include <stdexcept>

namespace kgen::cli {

enum class ExitStatus : int {
    done = 0,
    problems = 1,
    usage = 2,
    io = 3,
    compile = 4,
    device = 5,
    device_fault = 70,
};

// The command line is not valid.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// The reader of stdout has closed the pipe, as in `kgen list | head -1`.
class ClosedPipe : public std::exception {};

// Returns the status for an exception.
ExitStatus status_of(const std::exception& error) noexcept;

// Runs the action and returns the exit status of the process. Prints "kgen: <what()>" to stderr if the action
// throws. After ClosedPipe it ends the process by SIGPIPE instead, like other commands: nothing is printed, and
// shells report 141.
int run_guarded(const std::function<ExitStatus()>& action);

}  // namespace kgen::cli
