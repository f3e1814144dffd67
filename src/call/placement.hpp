// SPDX-License-Identifier: MIT
//
// Placement: the addresses that a plan assumes for arrays without memory.
#pragma once

#include <cstdint>

namespace kgen {

// Addresses assumed for a call without memory.
enum class Placement : std::uint8_t {
    aligned,   // aligned, and far from each other
    shifted,   // one element after an aligned address
    in_place,  // an output and the first input of its dtype and shape share memory
};

}  // namespace kgen
