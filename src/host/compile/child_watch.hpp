// SPDX-License-Identifier: MIT
//
// Sees to it that what a compile has started ends with this process, however it ends: by any signal, exit() or
// a return from main. PR_SET_PDEATHSIG would not: it looks at one thread, and does not reach the children of
// the child.
#pragma once

#include <sys/types.h>

#include <string>

namespace kgen {

// A process group with a shell in it that reads from a pipe. When this process ends the kernel closes the
// pipe's other end; the shell then removes the directory and ends the group.
class ChildWatch {
public:
    // Throws DeviceError if the shell cannot be started; `program` is what it is to watch, for the message.
    // `directory` may be empty.
    ChildWatch(const std::string& directory, const std::string& program);
    ~ChildWatch();  // ends all that is left of the group
    ChildWatch(const ChildWatch&) = delete;
    ChildWatch& operator=(const ChildWatch&) = delete;

    // For those to be watched. A member that starts another group is lost.
    ::pid_t group() const noexcept { return group_; }
    void end() noexcept;

private:
    ::pid_t group_ = 0;  // the shell's id, too
    int life_ = -1;      // the end of the pipe that this process holds
};

}  // namespace kgen
