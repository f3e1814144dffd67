// SPDX-License-Identifier: MIT
//
// The devices and compilers of this process, made on first use and kept to its end.
#pragma once

#include <kgen/system.hpp>
#include <memory>
#include <vector>

#include "device/backend.hpp"
#include "device/compiler.hpp"

namespace kgen {

// The backend of a device. Throws DeviceError if it is not there: what was looked for, where, and
// how to get it.
const Backend& backend(Device device);

// The compiler for a kind of device, whether or not such a device is there. One that kgen was built
// without resolves options, and throws DeviceError for all else.
const Compiler& compiler(DeviceKind kind);

// The target that code for a kind of device is generated for when no device says it: the first
// device's, or for CUDA without a GPU "sm_90".
Target default_target(DeviceKind kind);

// What inspect_system() says of a kind of device.
std::vector<Finding> inspect_devices(DeviceKind kind);

}  // namespace kgen
