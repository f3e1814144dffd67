// SPDX-License-Identifier: MIT
//
// The options that NVRTC is given: kgen's own, then the user's in their order. Pure: they enter the
// cache's keys, which are made without opening NVRTC, so nothing here may depend on its version.
#pragma once

#include <string>
#include <vector>

#include "device/compiler.hpp"

namespace kgen {

// kgen's own are
//     -arch=<the target's>                     machine code for exactly this GPU
//     -std=c++17                               unless the user names a standard
//     --device-as-default-execution-space      functions of a preamble need no __device__
//     -minimal                                 compiles faster; not where the user includes headers,
//                                              some of which need what it leaves out, nor
//                                              where textures or surfaces are used, nor for programs
//                                              of the user's own
//     -dlto                                    where several sources are linked
// Nothing makes arithmetic less exact: --use_fast_math, -ftz=true and their like pass if the user
// gives them. Throws CompileError for an option that chooses the target, writes a file, or makes no
// loadable code.
std::vector<std::string> resolve_nvrtc_options(const CompileJob& job);

}  // namespace kgen
