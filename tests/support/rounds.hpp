// SPDX-License-Identifier: MIT
//
// rounds: the number of rounds of a random test, or the length of a text that a test reads. It is a tenth under the
// sanitizers, which take twenty times as long and run the same code in the first rounds.
#pragma once

#include "support/sanitizers.hpp"

inline constexpr int rounds(int count) {
    return is_sanitized ? count / 10 : count;
}
