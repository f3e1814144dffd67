// SPDX-License-Identifier: MIT
//
// SignalGuard: during its lifetime, a signal that the thread's own system calls raise has no effect. It is
// for signals like SIGXFSZ, which are sent to the calling thread while the call also returns an error. The
// program's signal handlers stay unchanged.
#pragma once

#include <pthread.h>
#include <signal.h>
#include <time.h>

namespace kgen::cache {

class SignalGuard {
public:
    explicit SignalGuard(int number) noexcept {
        ::sigemptyset(&signal_);
        ::sigaddset(&signal_, number);
        ::sigset_t pending;
        ::sigpending(&pending);
        was_pending_ = ::sigismember(&pending, number) == 1;
        ::pthread_sigmask(SIG_BLOCK, &signal_, &before_);
    }
    ~SignalGuard() {
        constexpr ::timespec at_once{};
        if (!was_pending_) ::sigtimedwait(&signal_, nullptr, &at_once);
        ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    SignalGuard(const SignalGuard&) = delete;
    SignalGuard& operator=(const SignalGuard&) = delete;

private:
    ::sigset_t signal_{};
    ::sigset_t before_{};
    bool was_pending_ = false;
};

}  // namespace kgen::cache
