// SPDX-License-Identifier: MIT
//
// compile_linked: several sources to one image.
#pragma once

#include <string>
#include <vector>

#include "cuda/nvrtc/nvjitlink_library.hpp"
#include "cuda/nvrtc/nvrtc_library.hpp"
#include "device/compiler.hpp"

namespace kgen {

// A name expression belongs to the first source that it can be instantiated in. Throws CompileError
// and DeviceError.
Image compile_linked(const NvrtcLibrary& library,
                     const NvJitLinkLibrary& linker,
                     const CompileJob& job,
                     const std::vector<std::string>& options);

}  // namespace kgen
