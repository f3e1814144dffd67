// SPDX-License-Identifier: MIT
//
// Runs functions in a forked child, to test what another process or another user sees.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

#include "support/rounds.hpp"

inline constexpr ::uid_t other_user = 65534;

// Starts a child that calls the function and exits with the status that it returns.
template <class Function>
::pid_t start_child(Function&& function) {
    // AddressSanitizer's allocator keeps its locks in the child of a fork, which the C library's releases. So other threads
    // get the time to become idle.
    if (is_sanitized) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const ::pid_t pid = ::fork();
    if (pid < 0) throw std::runtime_error("fork failed");
    if (pid != 0) return pid;
    int status = 125;
    try {
        status = function();
    } catch (...) {
    }
    ::_exit(status);
}

// Waits for the child and returns its wait status.
inline int wait_for(::pid_t pid) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) throw std::runtime_error("waitpid failed");
    }
    return status;
}

inline bool ended_well(int status) {
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Returns the text that the function returns in a child, or "(child died)" if the child ended before.
template <class Function>
std::string said_by_child(Function&& function) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) throw std::runtime_error("pipe failed");
    const ::pid_t pid = start_child([&] {
        ::close(ends[0]);
        std::string text;
        try {
            text = function();
        } catch (const std::exception& error) {
            text = std::string("(child threw) ") + error.what();
        }
        const ::ssize_t written = ::write(ends[1], text.data(), text.size());
        return written == static_cast<::ssize_t>(text.size()) ? 0 : 1;
    });
    ::close(ends[1]);
    std::string text;
    std::array<char, 4096> buffer{};
    for (::ssize_t count = 0; (count = ::read(ends[0], buffer.data(), buffer.size())) > 0;) {
        text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    ::close(ends[0]);
    return ended_well(wait_for(pid)) ? text : "(child died)";
}

// Drops root's rights for good, because permissions do not restrict root. Does nothing for another user.
inline void drop_root() {
    if (::geteuid() != 0) return;
    if (::setgid(other_user) != 0 || ::setuid(other_user) != 0) {
        throw std::runtime_error("cannot become another user");
    }
}

// Forbids this process to start threads or processes from now on. Returns false if the system
// does not enforce it.
inline bool forbid_processes() {
    drop_root();
    const ::rlimit none = {0, 0};
    if (::setrlimit(RLIMIT_NPROC, &none) != 0) return false;
    const ::pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    if (child > 0) wait_for(child);
    return child < 0;
}
