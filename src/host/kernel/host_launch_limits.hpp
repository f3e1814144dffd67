// SPDX-License-Identifier: MIT
//
// What a launch may ask of the host device: CUDA's own limits, so that what runs here runs on a GPU.
#pragma once

#include <kgen/launch_config.hpp>
#include <string>

namespace kgen {

inline constexpr int host_threads_per_block = 1024;
inline constexpr int host_shared_bytes = 227 * 1024;  // of a block, as on sm_90
inline constexpr int host_static_shared_bytes = 48 * 1024;

// False if an extent of the grid is 0: then there is nothing to run. Throws DeviceError for what is
// too large, and for what the host device does not have.
bool check_host_launch(const LaunchConfig& config, const std::string& kernel);

// Throws DeviceError if the __shared__ variables of a kernel, of `own_bytes`, are too large, or leave too little for
// the dynamic shared memory of its launch.
void check_host_shared_bytes(std::int64_t own_bytes,
                             std::int64_t dynamic_bytes,
                             const std::string& kernel);

}  // namespace kgen
