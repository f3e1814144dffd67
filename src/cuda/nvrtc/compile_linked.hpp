// SPDX-License-Identifier: MIT
//
// compile_linked: compiles several sources to one image.
#pragma once

#include <string>
#include <vector>

#include "cuda/nvrtc/nvrtc_library.hpp"
#include "device/compiler.hpp"

namespace kgen {

// Each name expression is instantiated in the first source in which that is possible. Throws CompileError if
// a source or the link is refused, and DeviceError if NVRTC or nvJitLink fails.
Image compile_linked(const NvrtcLibrary& library,
                     const NvJitLinkLibrary& linker,
                     const CompileJob& job,
                     const std::vector<std::string>& options);

}  // namespace kgen
