// SPDX-License-Identifier: MIT
//
// What src/cuda offers to the registry; includes no CUDA header. All of it is made on first use and
// kept to the end of the process: nothing is released at exit, when the driver may be gone already.
#pragma once

#include <kgen/system.hpp>
#include <vector>

#include "device/backend.hpp"
#include "device/compiler.hpp"

namespace kgen {

// How many GPUs this process can use; 0 if there is no usable driver. Opens the driver.
int cuda_device_count() noexcept;

// The backend of one GPU. Throws DeviceError if the driver or the GPU is not there.
const Backend& cuda_backend(int ordinal);

// NVRTC. Looking for it is left to its functions.
const Compiler& nvrtc_compiler();

// The driver, the GPUs and NVRTC.
std::vector<Finding> inspect_cuda();

}  // namespace kgen
