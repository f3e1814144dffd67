// SPDX-License-Identifier: MIT
#include "cuda/nvrtc/compile_guard.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <kgen/error.hpp>
#include <thread>

namespace kgen {

namespace {

// The process id and the number of its threads that are compiling: (pid << 32) | count. Both are in one word,
// so that a forked child reads the values of one moment.
std::atomic<std::uint64_t> compiling = 0;
std::atomic<bool> is_exiting = false;

constexpr std::uint64_t process_mask = 0xffffffff00000000u;
constexpr auto longest_wait_at_exit = std::chrono::seconds(2);

std::uint64_t own_process() {
    return static_cast<std::uint64_t>(::getpid()) << 32;
}

bool is_compiling() {
    const std::uint64_t seen = compiling.load();
    return (seen & process_mask) == own_process() && (seen & ~process_mask) != 0;
}

// Runs before NVRTC's destructors. Prevents new compiles and waits for compiles of other threads, which would
// use memory that the destructors free.
void stop_compiles() {
    is_exiting.store(true);
    const auto deadline = std::chrono::steady_clock::now() + longest_wait_at_exit;
    while (is_compiling() && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

void mark_in_use(std::atomic<int>& marks) {
    // Exit handlers run in reverse order of registration, so this one runs before all handlers that the
    // library has registered so far. The library registers some when it is opened and more during its first
    // use.
    if (marks.fetch_add(1, std::memory_order_relaxed) >= 2) return;
    std::atexit(stop_compiles);
}

}  // namespace

CompileGuard::CompileGuard(const std::string& kernel) {
    std::uint64_t seen = compiling.load();
    std::uint64_t next = 0;
    do {
        const bool is_other_process = (seen & process_mask) != own_process();
        if (is_other_process && (seen & ~process_mask) != 0) {
            throw DeviceError(fmt::format(
                "kernel '{}': cannot compile: this process was forked while its parent was "
                "compiling, and NVRTC would wait forever; run another program (exec) in "
                "the child, or fork before the first kernel is compiled",
                kernel));
        }
        next = (is_other_process ? own_process() : seen) + 1;
    } while (!compiling.compare_exchange_weak(seen, next));
    // This thread increments the count and then reads is_exiting. stop_compiles() sets is_exiting and then
    // reads the count. So at least one of them sees the other's change.
    if (is_exiting.load()) {
        compiling.fetch_sub(1);
        throw DeviceError(
            fmt::format("kernel '{}': cannot compile: the process is exiting and NVRTC is "
                        "unloaded; compile before main returns",
                        kernel));
    }
}

CompileGuard::~CompileGuard() {
    compiling.fetch_sub(1);
}

void mark_nvrtc_in_use() {
    static std::atomic<int> marks = 0;
    mark_in_use(marks);
}

void mark_linker_in_use() {
    static std::atomic<int> marks = 0;
    mark_in_use(marks);
}

namespace {

// Only the part of the stack that is used takes memory. The stack is larger than the limit on brackets
// requires, because macros and templates nest deeper than the text: 16 MiB are enough for 5,000 brackets, 256
// MiB for 80,000. The smaller size is for processes with a limited address space.
constexpr std::size_t stack_bytes = std::size_t{256} << 20;
constexpr std::size_t small_stack_bytes = std::size_t{16} << 20;

struct Job {
    const std::function<void()>& compile;
    std::exception_ptr error;
};

void* run_job(void* argument) {
    auto& job = *static_cast<Job*>(argument);
    try {
        job.compile();
    } catch (...) {
        job.error = std::current_exception();
    }
    return nullptr;
}

}  // namespace

void run_on_nvrtc_thread(const std::string& kernel, const std::function<void()>& compile) {
    Job job{compile, nullptr};
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    // Signals that a fault raises stay unblocked, because blocked ones would bypass the program's crash
    // handler.
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT})
        ::sigdelset(&all, fault);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);  // the new thread inherits the mask
    pthread_t thread;
    int result = 0;
    for (const std::size_t size : {stack_bytes, small_stack_bytes}) {
        ::pthread_attr_setstacksize(&attributes, size);
        result = ::pthread_create(&thread, &attributes, run_job, &job);
        if (result == 0) break;
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    ::pthread_attr_destroy(&attributes);
    if (result != 0) {
        throw DeviceError(fmt::format("kernel '{}': cannot compile: no thread could be started: {}",
                                      kernel,
                                      std::strerror(result)),
                          "pthread_create",
                          result);
    }
    ::pthread_join(thread, nullptr);
    if (job.error) std::rethrow_exception(job.error);
}

}  // namespace kgen
