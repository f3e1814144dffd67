// SPDX-License-Identifier: MIT
//
// Runs a compile on a thread of its own with a stack that is large enough: NVRTC 13.0 crashes where
// the caller's is small (64 KiB), and needs more for deeply nested sources than many threads have.
#pragma once

#include <functional>
#include <string>

namespace kgen {

// Runs `compile` and waits for it; its exception, if any, is thrown here. Signals are not delivered
// to that thread. Throws DeviceError if no thread can be made.
void run_on_nvrtc_thread(const std::string& kernel, const std::function<void()>& compile);

}  // namespace kgen
