// SPDX-License-Identifier: MIT
//
// The components that kgen finds on this machine and the settings in use, as `kgen doctor` prints them.
#pragma once

#include <kgen/export.hpp>
#include <string>
#include <vector>

namespace kgen {

// kgen's version, "0.1.0".
KGEN_EXPORT std::string version();

// One component or setting that kgen looked for.
struct Finding {
    std::string subject;  // such as "CUDA driver", "NVRTC", "host compiler", "cache directory"
    bool found = false;
    std::string detail;  // "NVRTC 13.0, /usr/local/cuda/lib64/libnvrtc.so.13 (build-id 12ab...)"
    std::string remedy;  // how to fix it; empty if found
};

// Looks for the driver, the GPUs, NVRTC, the host compiler, the cache directory and invalid settings. Never
// throws.
KGEN_EXPORT std::vector<Finding> inspect_system();

// Returns the directory of the disk cache; empty if there is none. inspect_system() gives the reason.
KGEN_EXPORT std::string cache_directory();

}  // namespace kgen
