// SPDX-License-Identifier: MIT
//
// The devices and compilers of this process. They are created on first use and never destroyed.
#pragma once

#include <kgen/system.hpp>
#include <vector>

#include "device/backend.hpp"
#include "device/compiler.hpp"
#include "device/device_traits.hpp"

namespace kgen {

// Returns the backend of a device. If the device is missing, throws DeviceError, which says what was looked
// for, where, and how to get it.
const Backend& backend(Device device);

// Returns the compiler for a kind of device, even if there is no such device. If kgen was built without the
// compiler, the returned one only resolves options; producer() and compile() throw DeviceError.
const Compiler& compiler(DeviceKind kind);

// Returns the default target for a kind of device: that of the first device, or DeviceTraits::default_arch if
// there is none.
Target default_target(DeviceKind kind);

// Returns the findings of inspect_system() about devices and their compilers.
std::vector<Finding> inspect_devices();

}  // namespace kgen
