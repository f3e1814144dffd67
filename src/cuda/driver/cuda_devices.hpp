// SPDX-License-Identifier: MIT
//
// The interface of src/cuda to the device registry; includes no CUDA header. Each object is created on first
// use and never destroyed, because at exit the driver may already have shut down.
#pragma once

#include <kgen/system.hpp>
#include <vector>

#include "device/backend.hpp"
#include "device/compiler.hpp"

namespace kgen {

// Returns the number of GPUs that this process can use; 0 if there is no usable driver. Opens the driver.
int cuda_device_count() noexcept;

// Returns the backend of one GPU. Throws DeviceError if the driver or the GPU is missing.
const Backend& cuda_backend(int ordinal);

// Returns the NVRTC compiler, even if NVRTC is not installed. Its functions search for NVRTC when they first
// need it.
const Compiler& nvrtc_compiler();

// Reports whether the driver, the GPUs, NVRTC and nvJitLink were found.
std::vector<Finding> inspect_cuda();

}  // namespace kgen
