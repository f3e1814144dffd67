// SPDX-License-Identifier: MIT
//
// Accuracy: the rounding of a reduction's sums.
#pragma once

#include <cstdint>

namespace kgen {

enum class Accuracy : std::uint8_t {
    plain,        // each addition rounds once; the order of the additions is fixed
    compensated,  // rounding errors are accumulated beside the sum and added at the end
};

}  // namespace kgen
