// SPDX-License-Identifier: MIT
//
// link_images: what NVRTC made of several sources, as one module.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cuda/nvrtc/nvjitlink_library.hpp"
#include "device/compiler.hpp"

namespace kgen {

struct LtoSource {
    std::string name;  // for the linker's messages: "filters.cu"
    std::vector<std::byte> lto_ir;
};

struct LinkedImage {
    std::vector<std::byte> cubin;
    std::vector<std::byte> ptx;  // what the cubin was made from
    std::string log;             // warnings
};

// Optimizes all sources as one to PTX and assembles that. In one step the linker would take 1.4 times
// as long where the code is large, leave no PTX, and make a zero of a variable that no source defines,
// with no more than a warning (measured with 13.0).
// Throws CompileError for what is missing or defined twice, DeviceError if nvJitLink fails.
LinkedImage link_images(const NvJitLinkLibrary& library,
                        const CompileJob& job,
                        const std::vector<LtoSource>& sources);

}  // namespace kgen
