// SPDX-License-Identifier: MIT
//
// The Backend of the host device: kernels are shared objects that run on the CPU's threads, memory
// is the process's own. All work is complete when the call returns, so that streams and events are
// markers.
#pragma once

#include "device/backend.hpp"

namespace kgen {

// Throws DeviceError if KGEN_HOST_THREADS does not read.
const Backend& host_backend();

}  // namespace kgen
