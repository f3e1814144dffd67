// SPDX-License-Identifier: MIT
//
// The headers that kgen provides for its users' sources (kernel_templates/headers): small replacements for
// standard headers, which NVRTC does not ship, and kgen's own headers. Part of stage 4.
#pragma once

#include <span>
#include <string_view>

#include "device/target.hpp"
#include "text/embedded_file.hpp"

namespace kgen {

// Returns the headers for a kind of device, sorted by the name in an #include directive. The host also has some of CUDA's headers, because
// sources may include them. Every host source already contains their declarations.
std::span<const EmbeddedFile> stand_ins(DeviceKind device);

// Returns the header of that name, or nullptr if there is none.
const EmbeddedFile* find_stand_in(std::string_view name, DeviceKind device);

}  // namespace kgen
