// SPDX-License-Identifier: MIT
//
// The Backend of the host device. Kernels are shared objects that run on the CPU's threads, and device memory
// is the process's own memory. Each call completes its work before it returns, so streams and events are only
// markers.
#pragma once

#include "device/backend.hpp"

namespace kgen {

// Throws DeviceError if KGEN_HOST_THREADS is malformed.
const Backend& host_backend();

}  // namespace kgen
