// SPDX-License-Identifier: MIT
//
// The options that kgen passes to nvJitLink. They depend only on the job and its NVRTC options, which are
// part of the cache key.
#pragma once

#include <string>
#include <vector>

#include "device/compiler.hpp"

namespace kgen {

// Translates the user's code generation options for NVRTC (-fmad=false, -use_fast_math, -maxrregcount=32,
// -lineinfo) to options of nvJitLink. With link-time optimization the linker generates the code, and it would
// ignore NVRTC's options without a message (measured with 13.0).
std::vector<std::string> resolve_link_options(const CompileJob& job);

}  // namespace kgen
