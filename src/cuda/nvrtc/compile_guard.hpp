// SPDX-License-Identifier: MIT
//
// Keeps NVRTC out of places where it does not return an error but hangs or crashes (seen with NVRTC
// 13.0): a child forked while its parent was compiling (hangs), static destructors that run after
// NVRTC's own, and threads that still compile while these run (segmentation faults).
#pragma once

#include <string>

namespace kgen {

// Held during each compile. Safe on any number of threads.
class CompileGuard {
public:
    // Throws DeviceError if NVRTC must not be called in this process any more.
    explicit CompileGuard(const std::string& kernel);
    ~CompileGuard();
    CompileGuard(const CompileGuard&) = delete;
    CompileGuard& operator=(const CompileGuard&) = delete;
};

// To be called when NVRTC has been opened and when it has compiled: at exit, before NVRTC's
// destructors run, compiles are refused from then on and those under way are waited for (2 s at most).
// Exit during the very first compile stays unprotected: what NVRTC registers within it runs first.
void mark_nvrtc_in_use();
// The same for nvJitLink.
void mark_linker_in_use();

}  // namespace kgen
