// SPDX-License-Identifier: MIT
//
// Limits of a launch on the host device. They are CUDA's own, so what runs here also runs on a GPU.
#pragma once

#include <kgen/launch_config.hpp>
#include <string>

namespace kgen {

inline constexpr int host_threads_per_block = 1024;
inline constexpr int host_shared_bytes = 227 * 1024;  // per block, as on sm_90
inline constexpr int host_static_shared_bytes = 48 * 1024;

// Returns false if an extent of the grid is 0, so that nothing has to run. Throws LaunchError if an extent or
// the shared memory is out of range, or the host device does not have a requested feature.
bool check_host_launch(const LaunchConfig& config, const std::string& kernel);

// Throws DeviceError if a kernel's __shared__ variables (`own_bytes`) are too large, or leave too little room
// for the dynamic shared memory of the launch.
void check_host_shared_bytes(std::int64_t own_bytes,
                             std::int64_t dynamic_bytes,
                             const std::string& kernel);

}  // namespace kgen
