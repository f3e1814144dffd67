// SPDX-License-Identifier: MIT
//
// How the command ends: each kind of failure has its exit status and one message on stderr.
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

// The command line does not read.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// The status for what was thrown.
ExitStatus status_of(const std::exception& error) noexcept;

// Runs the action; prints "kgen: <what()>" to stderr if it throws. Returns the process's status.
int run_guarded(const std::function<ExitStatus()>& action);

}  // namespace kgen::cli
