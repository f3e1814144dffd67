// SPDX-License-Identifier: MIT
#include "host/compile/run_child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <kgen/error.hpp>
#include <string_view>

#include "file_descriptor.hpp"
#include "host/compile/child_watch.hpp"
#include "host/compile/start_program.hpp"
#include "text/list.hpp"

extern "C" char** environ;

namespace kgen {
namespace {

using Clock = std::chrono::steady_clock;

// Variables that make gcc, clang or the loader read or write files other than those they are told to: GCC
// manual, "Environment Variables Affecting GCC"; clang's CCC_OVERRIDE_OPTIONS; ld.so(8); ld(1).
constexpr std::array<std::string_view, 21> dropped_variables = {
    "LD_PRELOAD",
    "LD_AUDIT",
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "OBJC_INCLUDE_PATH",
    "LIBRARY_PATH",
    "LD_RUN_PATH",
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
    "GCC_COMPARE_DEBUG",
    "GNUTARGET",
    "LDEMULATION",
    "DEPENDENCIES_OUTPUT",
    "SUNPRO_DEPENDENCIES",
    "CCC_OVERRIDE_OPTIONS",
    "CCC_ADD_ARGS",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "SOURCE_DATE_EPOCH",
};

[[noreturn]] void fail_call(const std::string& what, const char* call, int code) {
    throw DeviceError(fmt::format("{}: {}", what, std::strerror(code)), call, code);
}

// Reads the available output without waiting. Returns false at the end of the output.
bool drain(int from, std::string& output, std::size_t limit_bytes) {
    std::array<char, 16384> buffer;
    for (;;) {
        const ssize_t got = ::read(from, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno == EAGAIN;
        if (got == 0) return false;
        const std::size_t room = limit_bytes - std::min(limit_bytes, output.size());
        output.append(buffer.data(), std::min(room, static_cast<std::size_t>(got)));
    }
}

// Collects the output until it ends, the child ends, or the time is up. Waiting only for the end of the
// output could take longer, because a process that the child has started may keep the pipe open. Returns
// false if the time is up.
bool collect(pid_t child, int from, const ChildJob& job, std::string& output) {
    // pidfd_open fails before Linux 5.3 and under some system call filters. The output is then collected
    // until it ends, even if the child has ended earlier.
    const cache::FileDescriptor watch(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
    const auto deadline = Clock::now() + job.timeout;
    for (;;) {
        int wait_ms = -1;
        if (job.timeout.count() > 0) {
            const auto left =
                std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
            if (left <= 0) return false;
            wait_ms = static_cast<int>(std::min<long long>(left, 1'000'000));
        }
        std::array<pollfd, 2> events = {pollfd{from, POLLIN, 0}, pollfd{watch.get(), POLLIN, 0}};
        if (::poll(events.data(), events.size(), wait_ms) < 0 && errno != EINTR) return true;
        const bool ended = events[1].revents != 0;
        if (!drain(from, output, job.output_limit_bytes) || ended) return true;
    }
}

}  // namespace

std::string program_path() {
    const char* path = ::secure_getenv("PATH");
    return path != nullptr && *path != '\0' ? path : "/usr/bin:/bin";
}

std::vector<std::string> clean_environment(const std::string& temporary_directory) {
    std::vector<std::string> result;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const std::string_view name = text.substr(0, text.find('='));
        if (is_one_of(name, dropped_variables)) continue;
        if (name == "TMPDIR" && !temporary_directory.empty()) continue;
        if (name == "PATH") continue;
        result.emplace_back(text);
    }
    // The compiler finds its assembler and linker through PATH.
    result.push_back("PATH=" + program_path());
    result.emplace_back("LC_ALL=C");
    if (!temporary_directory.empty()) result.push_back("TMPDIR=" + temporary_directory);
    return result;
}

ChildResult run_child(const ChildJob& job) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail_call("a pipe cannot be created", "pipe2", errno);
    const cache::FileDescriptor read_end(ends[0]);
    cache::FileDescriptor write_end(ends[1]);
    ::fcntl(read_end.get(), F_SETFL, O_NONBLOCK);
    const cache::FileDescriptor input(::open(job.input_path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!input.is_open())
        fail_call(fmt::format("'{}' cannot be read", job.input_path), "open", errno);

    ChildResult result;
    ChildWatch watch(job.temporary_directory, job.arguments[0]);
    const ::pid_t child = start_program({.arguments = job.arguments,
                                         .variables = clean_environment(job.temporary_directory),
                                         .input = input.get(),
                                         .output = write_end.get(),
                                         .working_directory = job.working_directory,
                                         .group = watch.group(),
                                         .memory_bytes = job.memory_limit_bytes});
    write_end.close();
    result.timed_out = !collect(child, read_end.get(), job, result.output);
    if (result.timed_out) watch.end();

    int status = 0;
    ::pid_t waited = -1;
    do {
        waited = ::waitpid(child, &status, 0);
    } while (waited < 0 && errno == EINTR);
    if (waited == child) {
        if (WIFEXITED(status)) result.exit_status = WEXITSTATUS(status);
        if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
    }
    return result;
}

}  // namespace kgen
