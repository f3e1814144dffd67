// SPDX-License-Identifier: MIT
#include "cuda/nvrtc_thread.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>

#include <cstring>
#include <exception>
#include <kgen/error.hpp>

namespace kgen {

namespace {

constexpr std::size_t stack_bytes = std::size_t{16} << 20;  // touched only as far as it is needed

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
    ::pthread_attr_setstacksize(&attributes, stack_bytes);
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    // Those that a fault raises stay: blocked, they would bypass the program's crash handler.
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT})
        ::sigdelset(&all, fault);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);  // inherited by the new thread
    pthread_t thread;
    const int result = ::pthread_create(&thread, &attributes, run_job, &job);
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
