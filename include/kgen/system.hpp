// SPDX-License-Identifier: MIT
//
// What this machine offers to kgen, as `kgen doctor` prints it, and the settings in force.
#pragma once

#include <kgen/export.hpp>
#include <string>
#include <vector>

namespace kgen {

// kgen's version, "0.1.0".
KGEN_EXPORT std::string version();

// One thing that kgen looks for: found or not, what exactly, where, and how to get it if it is
// missing.
struct Finding {
    std::string subject;  // "CUDA driver", "NVRTC", "host compiler", "cache directory"
    bool found = false;
    std::string detail;  // "NVRTC 13.0, /usr/local/cuda/lib64/libnvrtc.so.13 (build-id 12ab...)"
    std::string remedy;  // empty if found
};

// Looks at the driver, the GPUs, NVRTC, the host compiler and the cache directory. Never throws.
KGEN_EXPORT std::vector<Finding> inspect_system();

// The directory of the disk cache in use; empty if there is none, then inspect_system() says why.
KGEN_EXPORT std::string cache_directory();

}  // namespace kgen
