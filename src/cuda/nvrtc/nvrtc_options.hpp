// SPDX-License-Identifier: MIT
//
// The options that kgen passes to NVRTC: first kgen's own, then the user's in their order. They are part of
// the cache key, which is computed without opening NVRTC. So they must not depend on NVRTC's version.
#pragma once

#include <string>
#include <vector>

#include "device/compiler.hpp"

namespace kgen {

// Returns the options. kgen's own options are
//     -arch=<the target's>                     machine code for exactly this GPU
//     -std=c++17                               unless the user names a standard
//     --device-as-default-execution-space      functions of a preamble need no __device__
//     -minimal                                 compiles faster. Only for generated sources that include no
//                                              headers and use no textures or surfaces, because it leaves
//                                              out declarations that these need
//     -dlto                                    if several sources are linked
// None of them makes arithmetic less exact. Options such as --use_fast_math or -ftz=true are used only if the
// user gives them. Throws CompileError for an option that chooses the target, names a file to read or write,
// depends on precompiled headers, or makes no loadable code.
std::vector<std::string> resolve_nvrtc_options(const CompileJob& job);

// Returns the options for nvJitLink. They depend only on the job and its NVRTC options.
//
// Translates the user's code generation options for NVRTC (-fmad=false, -use_fast_math, -maxrregcount=32,
// -lineinfo) to options of nvJitLink. With link-time optimization the linker generates the code, and it would
// ignore NVRTC's options without a message (measured with 13.0).
std::vector<std::string> resolve_link_options(const CompileJob& job);

}  // namespace kgen
