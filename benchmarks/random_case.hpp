// SPDX-License-Identifier: MIT
//
// The calls of `kgen bench --random`. README.md states their distribution.
#pragma once

#include "benchmarks/random_draw.hpp"

namespace kgen::bench {

struct RandomCase : Case {
    // What the call computes, as JSON, for programs that run it without the kernel's text: random_peers.py
    // states the form.
    std::string expression;
};

// Draws the call of a seed. The device and the scale decide its extents; all else is the same everywhere.
RandomCase random_case(std::uint64_t seed, DeviceKind device, Scale scale);

}  // namespace kgen::bench
