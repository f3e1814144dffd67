// SPDX-License-Identifier: MIT
//
// The calls of `kgen bench --random`. README.md states their distribution.
#pragma once

#include "benchmarks/random_draw.hpp"

namespace kgen::bench {

// Draws the call of a seed. The device and the scale decide its extents; all else is the same everywhere.
Case random_case(std::uint64_t seed, DeviceKind device, Scale scale);

}  // namespace kgen::bench
