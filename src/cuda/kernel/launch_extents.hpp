// SPDX-License-Identifier: MIT
//
// The extents of a grid or a block: small enough to be noted with each launch, and as text.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <kgen/launch_config.hpp>
#include <string>

namespace kgen {

// All 0: not known.
struct LaunchExtents {
    std::uint32_t x = 0;
    std::uint16_t y = 0;
    std::uint16_t z = 0;
    friend bool operator==(const LaunchExtents&, const LaunchExtents&) = default;
};

// Of dims that were checked against the limits of a GPU, which has less than 2^16 blocks along y.
inline LaunchExtents checked_extents(const LaunchDims& dims) noexcept {
    return {static_cast<std::uint32_t>(dims.x),
            static_cast<std::uint16_t>(dims.y),
            static_cast<std::uint16_t>(dims.z)};
}

// "(4, 1, 1)".
template <typename Extents>
std::string extents_text(const Extents& extents) {
    return fmt::format("({}, {}, {})", extents.x, extents.y, extents.z);
}

}  // namespace kgen
