// SPDX-License-Identifier: MIT
//
// rounds: the number of rounds of a random test without kernels. It is a tenth under the
// sanitizers, where a round takes twenty times as long.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

inline constexpr int rounds(int count) {
    return is_sanitized ? count / 10 : count;
}
