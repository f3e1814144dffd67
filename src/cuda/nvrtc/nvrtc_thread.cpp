// SPDX-License-Identifier: MIT
#include "cuda/nvrtc/nvrtc_thread.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>

#include <cstring>
#include <exception>
#include <kgen/error.hpp>

namespace kgen {

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
