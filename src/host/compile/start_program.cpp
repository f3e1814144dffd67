// SPDX-License-Identifier: MIT
#include "host/compile/start_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <kgen/error.hpp>

#include "file_descriptor.hpp"

namespace kgen {
namespace {

constexpr int first_extra_file = 3;

// The data that the child needs before it becomes another program. After vfork it runs in this process's
// memory. A fork would copy the page tables, which takes 38 ms for 256 MB.
struct Launch {
    const char* path;
    char* const* arguments;
    char* const* variables;
    int input;
    int output;
    const char* working_directory;  // nullptr: unchanged
    ::pid_t group;
    rlim_t memory_bytes;
    volatile int error = 0;  // errno of the call that failed in the child
};

// The struct sigaction of Linux's system call. All zeros mean SIG_DFL.
struct KernelSignalAction {
    std::array<unsigned long, 3> words = {};
    std::uint64_t mask = 0;
};

void limit(int resource, rlim_t bytes) {
    rlimit known{};
    if (::syscall(SYS_prlimit64, 0, resource, nullptr, &known) != 0) return;
    const rlimit wanted{std::min(bytes, known.rlim_cur), std::min(bytes, known.rlim_max)};
    ::syscall(SYS_prlimit64, 0, resource, &wanted, nullptr);
}

void close_from(int first) {
    if (::syscall(SYS_close_range, first, ~0U, 0) == 0) return;
    rlimit files{};  // before Linux 5.9
    ::syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, nullptr, &files);
    const auto end = static_cast<int>(std::min<rlim_t>(files.rlim_cur, 65536));
    for (int file = first; file < end; ++file) ::syscall(SYS_close, file);
}

// Runs in the child. Makes system calls only, because the child shares the state of the parent's C library.
[[noreturn]] void become_program(Launch& launch) {
    const auto check = [&](long result) {
        if (result >= 0) return;
        launch.error = errno;
        ::syscall(SYS_exit_group, 127);
    };
    const KernelSignalAction by_default;
    for (int signal = 1; signal < NSIG; ++signal)
        ::syscall(SYS_rt_sigaction, signal, &by_default, nullptr, sizeof by_default.mask);
    check(::syscall(SYS_setpgid, 0, launch.group));
    check(::syscall(SYS_dup3, launch.input, 0, 0));
    check(::syscall(SYS_dup3, launch.output, 1, 0));
    check(::syscall(SYS_dup3, launch.output, 2, 0));
    if (launch.working_directory != nullptr) check(::syscall(SYS_chdir, launch.working_directory));
    limit(RLIMIT_CORE, 0);
    if (launch.memory_bytes != 0) {
        limit(RLIMIT_AS, launch.memory_bytes);
        limit(RLIMIT_FSIZE, launch.memory_bytes);
    }
    close_from(first_extra_file);
    const std::uint64_t no_signals = 0;
    ::syscall(SYS_rt_sigprocmask, SIG_SETMASK, &no_signals, nullptr, sizeof no_signals);
    check(::syscall(SYS_execve, launch.path, launch.arguments, launch.variables));
    __builtin_unreachable();
}

// Returns when the child has become another program or has failed.
[[gnu::noinline]] ::pid_t launch_child(Launch& launch) {
    const ::pid_t child = ::vfork();
    if (child == 0) become_program(launch);
    return child;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
    std::vector<char*> result;
    for (std::string& text : strings) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

// Duplicates an open file to a number that no dup3 of the child overwrites.
int above_standard(int file) {
    return ::fcntl(file, F_DUPFD_CLOEXEC, first_extra_file);
}

}  // namespace

void fail_to_start(const std::string& program, const char* call, int code) {
    throw DeviceError(
        fmt::format("'{}' cannot be started: {}", program, std::strerror(code)), call, code);
}

::pid_t start_program(const ProgramStart& start) {
    std::vector<std::string> arguments = start.arguments;
    std::vector<std::string> variables = start.variables;
    const std::vector<char*> argument_pointers = pointers(arguments);
    const std::vector<char*> variable_pointers = pointers(variables);
    const cache::FileDescriptor input(above_standard(start.input));
    const cache::FileDescriptor output(above_standard(start.output));
    if (!input.is_open() || !output.is_open()) fail_to_start(start.arguments[0], "fcntl", errno);
    Launch launch{.path = arguments[0].c_str(),
                  .arguments = argument_pointers.data(),
                  .variables = variable_pointers.data(),
                  .input = input.get(),
                  .output = output.get(),
                  .working_directory =
                      start.working_directory.empty() ? nullptr : start.working_directory.c_str(),
                  .group = start.group,
                  .memory_bytes = start.memory_bytes};
    // Signals are blocked, because a handler of this process must not run in the child.
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    const ::pid_t child = launch_child(launch);
    const int code = child < 0 ? errno : launch.error;
    // Under ThreadSanitizer a vfork is a fork, so the child may not have joined its group yet.
    if (child > 0) ::setpgid(child, start.group);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (child < 0) fail_to_start(start.arguments[0], "vfork", code);
    if (code == 0) return child;
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    fail_to_start(start.arguments[0], "execve", code);
}

}  // namespace kgen
