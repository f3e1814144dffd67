// SPDX-License-Identifier: MIT
//
// Finds nvJitLink, which links several sources to one module, without opening it.
#pragma once

#include <optional>
#include <string>

#include "cuda/nvrtc/nvrtc_location.hpp"

namespace kgen {

struct NvJitLinkLocation {
    std::string path;
    std::string build_id;  // empty: none
};

// libnvJitLink.so of NVRTC's major version: beside NVRTC, then where NVRTC itself is looked for.
std::optional<NvJitLinkLocation> locate_nvjitlink(const NvrtcLocation& nvrtc,
                                                  const NvrtcSearch& search);

// "no nvJitLink: looked for ... beside ...; install ..."
std::string nvjitlink_absence(const NvrtcLocation& nvrtc, const NvrtcSearch& search);

}  // namespace kgen
