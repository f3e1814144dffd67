// SPDX-License-Identifier: MIT
//
// Finds the file of nvJitLink, the library that links several sources to one module, without opening it.
#pragma once

#include <optional>
#include <string>

#include "cuda/nvrtc/nvrtc_location.hpp"

namespace kgen {

struct NvJitLinkLocation {
    std::string path;
    std::string build_id;  // empty if the file has none
};

// Finds libnvJitLink.so of NVRTC's major version. Searches NVRTC's folder first, then the folders that are
// searched for NVRTC.
std::optional<NvJitLinkLocation> locate_nvjitlink(const NvrtcLocation& nvrtc,
                                                  const NvrtcSearch& search);

// Returns the message "no nvJitLink, which ...: looked for ... in ...; install ...".
std::string nvjitlink_absence(const NvrtcLocation& nvrtc, const NvrtcSearch& search);

}  // namespace kgen
