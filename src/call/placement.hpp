// SPDX-License-Identifier: MIT
//
// Placement: where plans take memory to lie that nobody has allocated.
#pragma once

#include <cstdint>

namespace kgen {

// Where the memory of a call without memory is taken to lie.
enum class Placement : std::uint8_t {
    aligned,   // apart from each other
    shifted,   // one element behind where it would be aligned
    in_place,  // the first output is the first input of its dtype and shape
};

}  // namespace kgen
