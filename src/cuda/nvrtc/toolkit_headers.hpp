// SPDX-License-Identifier: MIT
//
// Finds the CUDA toolkit's headers: cuda_fp16.h and similar ones, and CCCL (cuda/, cub/, thrust/, nv/).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cuda/nvrtc/nvrtc_location.hpp"

namespace kgen {

// Returns the include directories in search order: the first directory that has cuda_fp16.h, then the first
// one that has CCCL. Looks first near the NVRTC in use, because headers and compiler must match. It knows
// the layouts of NVIDIA's toolkits, Debian packages and NVIDIA's Python wheels. Then looks in the toolkits of
// `search`.
std::vector<std::string> find_toolkit_headers(const std::optional<NvrtcLocation>& location,
                                              const NvrtcSearch& search);

}  // namespace kgen
