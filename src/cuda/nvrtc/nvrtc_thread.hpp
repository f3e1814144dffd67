// SPDX-License-Identifier: MIT
//
// Runs a compile on a separate thread with a large stack. NVRTC 13.0 crashes if the caller's stack is small
// (64 KiB), and deeply nested sources need more stack than many threads have.
#pragma once

#include <functional>
#include <string>

namespace kgen {

// Runs `compile` on the new thread, waits for it, and rethrows its exception. The thread blocks all signals
// except those that a fault raises. Throws DeviceError if no thread can be started.
void run_on_nvrtc_thread(const std::string& kernel, const std::function<void()>& compile);

}  // namespace kgen
