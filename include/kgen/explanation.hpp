// SPDX-License-Identifier: MIT
//
// What each stage makes of a call, as `kgen explain` prints it.
#pragma once

#include <kgen/device.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kgen {

// For what a kernel is explained, where it is not the device of the call.
struct TargetOptions {
    std::optional<Device> device = {};     // its kind counts, it need not be there
    std::optional<std::string> arch = {};  // "sm_90"
};

struct Explanation {
    std::string signature;  // the parameters as parsed
    std::string types;      // "T = float32"
    std::string plan;       // the baked plan and the launch, with the reason of each choice
    std::string source;     // what the compiler would be given
    std::string symbol;     // the kernel's name in the image
    std::string target;     // "sm_90", "x86_64 (avx512f ...)"
    std::vector<std::string> options;                                // for the compiler, in order
    std::string request;                                             // hex digest, the cache's key
    std::vector<std::pair<std::string, std::string>> request_parts;  // name, short hex digest
    std::string producer;     // the compiler that would serve a miss, or why there is none
    bool cached = false;      // the cache has a valid entry for it
    std::string cache_entry;  // the path of that entry, or of the one that would be written
    // Of a miss: why, and the entry of the same kernel with the most in common: its path, and the parts of the
    // request in which it differs ("options"), or "producer". Empty where there is none.
    std::string miss_reason;
    std::string nearest_entry;
    std::vector<std::string> nearest_differs;
};

}  // namespace kgen
