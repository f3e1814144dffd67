// SPDX-License-Identifier: MIT
//
// The headers that kgen brings for its users' sources (kernel_templates/headers): small stand-ins for
// standard headers, which NVRTC does not ship, and kgen's own. Pure; part of stage 4.
#pragma once

#include <span>
#include <string_view>

#include "device/target.hpp"

namespace kgen {

struct StandIn {
    std::string_view name;  // as a source includes it: "cstdint"
    std::string_view text;
};

// Those for a kind of device, sorted by name. The host has some of CUDA's headers too, whose content
// stands in every host source.
std::span<const StandIn> stand_ins(DeviceKind device);

// Or nullptr.
const StandIn* find_stand_in(std::string_view name, DeviceKind device);

}  // namespace kgen
