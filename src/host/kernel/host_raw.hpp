// SPDX-License-Identifier: MIT
//
// Runs the kernels of raw programs on the CPU.
#pragma once

#include "device/raw_backend.hpp"

namespace kgen {

const RawBackend& host_raw();

}  // namespace kgen
