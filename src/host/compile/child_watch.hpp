// SPDX-License-Identifier: MIT
//
// Ends every process that a compile has started when this process ends, however it ends: by a signal, by
// exit() or by a return from main. PR_SET_PDEATHSIG is no substitute: it is tied to one thread and does not
// reach the children of the child.
#pragma once

#include <sys/types.h>

#include <string>

namespace kgen {

// A process group that contains a shell, which reads from a pipe. When this process ends, the system closes
// the other end of the pipe. The shell then removes the directory and ends the group.
class ChildWatch {
public:
    // Starts the shell. `program` is the program to be watched, for the message; `directory` may be empty.
    // Throws DeviceError if the shell cannot be started.
    ChildWatch(const std::string& directory, const std::string& program);
    ~ChildWatch();  // ends all processes left in the group
    ChildWatch(const ChildWatch&) = delete;
    ChildWatch& operator=(const ChildWatch&) = delete;

    // The process group in which to start programs. A program that moves to another group is not watched.
    ::pid_t group() const noexcept { return group_; }
    void end() noexcept;

private:
    ::pid_t group_ = 0;  // also the process id of the shell
    int life_ = -1;      // this process's end of the pipe
};

}  // namespace kgen
