// SPDX-License-Identifier: MIT
//
// Accuracy: how a reduction's sums are rounded.
#pragma once

#include <cstdint>

namespace kgen {

enum class Accuracy : std::uint8_t {
    plain,        // each addition once, in a fixed order
    compensated,  // what each addition loses is kept beside the sum and added at the end
};

}  // namespace kgen
