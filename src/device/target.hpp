// SPDX-License-Identifier: MIT
//
// Target: the device type that code is generated for. It holds everything about a device that a source or
// image may depend on, and nothing in which two machines that can run the same image differ.
#pragma once

#include <kgen/device.hpp>
#include <string>

namespace kgen {

struct Target {
    DeviceKind kind = DeviceKind::host;
    // CUDA: "sm_90", with its suffix ("sm_90a"). Host: the machine ("x86_64") and a digest of the
    // CPU features that -march=native would use ("x86_64-3f9a12cd").
    std::string arch;

    friend bool operator==(const Target&, const Target&) = default;
};

}  // namespace kgen
