// SPDX-License-Identifier: MIT
//
// Keeps NVRTC out of two places where it does not return an error but hangs or crashes (seen with
// NVRTC 13.0): a child forked while its parent was compiling (hangs), and static destructors that
// run after NVRTC's own (segmentation fault).
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

// To be called when NVRTC has been opened and when it has compiled: makes its destructors run after
// a mark that stops later compiles.
void mark_nvrtc_in_use();

}  // namespace kgen
