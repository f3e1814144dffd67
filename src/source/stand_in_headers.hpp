// SPDX-License-Identifier: MIT
//
// The headers that kgen provides for its users' sources (kernel_templates/headers): small replacements for
// standard headers, which NVRTC does not ship, and kgen's own headers. Part of stage 4.
#pragma once

#include <span>
#include <string_view>

#include "device/target.hpp"

namespace kgen {

struct StandIn {
    std::string_view name;  // the name in an #include directive: "cstdint"
    std::string_view text;
};

// Returns the headers for a kind of device, sorted by name. The host also has some of CUDA's headers, because
// sources may include them. Every host source already contains their declarations.
std::span<const StandIn> stand_ins(DeviceKind device);

// Returns the header of that name, or nullptr if there is none.
const StandIn* find_stand_in(std::string_view name, DeviceKind device);

}  // namespace kgen
