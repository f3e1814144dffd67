// SPDX-License-Identifier: MIT
//
// LaunchExtents: the extents of a grid or a thread block in 8 bytes, which DeviceFault stores for each
// launch.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <kgen/launch_config.hpp>
#include <string>

namespace kgen {

// All extents are 0 if they are not known.
struct LaunchExtents {
    std::uint32_t x = 0;
    std::uint16_t y = 0;
    std::uint16_t z = 0;
    friend bool operator==(const LaunchExtents&, const LaunchExtents&) = default;
};

// Converts extents that were checked against the limits of a GPU: fewer than 2^16 blocks along y and z.
inline LaunchExtents checked_extents(const LaunchDims& dims) noexcept {
    return {static_cast<std::uint32_t>(dims.x),
            static_cast<std::uint16_t>(dims.y),
            static_cast<std::uint16_t>(dims.z)};
}

// Returns for example "(4, 1, 1)".
template <typename Extents>
std::string extents_text(const Extents& extents) {
    return fmt::format("({}, {}, {})", extents.x, extents.y, extents.z);
}

}  // namespace kgen
