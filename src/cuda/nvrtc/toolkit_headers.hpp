// SPDX-License-Identifier: MIT
//
// Where the CUDA toolkit's headers lie: cuda_fp16.h and its like, and CCCL (cuda/, cub/, thrust/, nv/).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cuda/nvrtc/nvrtc_location.hpp"

namespace kgen {

// Directories to search, in order: those of the first place that has cuda_fp16.h and those of the
// first that has CCCL. Looked for beside the NVRTC that is used, since headers and compiler belong
// together, as toolkits, Debian and the wheels of NVIDIA lay them out; then in the search's toolkits.
std::vector<std::string> find_toolkit_headers(const std::optional<NvrtcLocation>& location,
                                              const NvrtcSearch& search);

}  // namespace kgen
