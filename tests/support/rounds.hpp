// SPDX-License-Identifier: MIT
//
// rounds: the number of rounds of a random test without kernels. It is a tenth under the
// sanitizers, where a round takes twenty times as long.
#pragma once

#include "support/sanitizers.hpp"

inline constexpr int rounds(int count) {
    return is_sanitized ? count / 10 : count;
}
