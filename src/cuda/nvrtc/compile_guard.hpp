// SPDX-License-Identifier: MIT
//
// CompileGuard: prevents calls of NVRTC that hang or crash instead of returning an error (seen with NVRTC
// 13.0):
//   - in a child process that was forked while its parent was compiling (hangs)
//   - in static destructors that run after NVRTC's own (segmentation fault)
//   - on threads that still compile while NVRTC's static destructors run (segmentation fault)
#pragma once

#include <functional>
#include <string>

namespace kgen {

// Must be held during each compile. Thread-safe.
class CompileGuard {
public:
    // Throws DeviceError if NVRTC must not be called in this process any more.
    explicit CompileGuard(const std::string& kernel);
    ~CompileGuard();
    CompileGuard(const CompileGuard&) = delete;
    CompileGuard& operator=(const CompileGuard&) = delete;
};

// Registers an exit handler that runs before NVRTC's destructors. The handler refuses new compiles and waits
// up to 2 s for running ones. Must be called after NVRTC was opened and again after it has compiled. An exit
// during the first compile is not protected, because the destructors that NVRTC registers during that compile
// run first.
void mark_nvrtc_in_use();
// Does the same for nvJitLink.
void mark_linker_in_use();

// Runs a compile on a separate thread with a large stack. NVRTC 13.0 crashes if the caller's stack is small
// (64 KiB), and deeply nested sources need more stack than many threads have. Runs `compile` on the new
// thread, waits for it, and rethrows its exception. The thread blocks all signals except those that a fault
// raises. Throws DeviceError if no thread can be started.
void run_on_nvrtc_thread(const std::string& kernel, const std::function<void()>& compile);

}  // namespace kgen
