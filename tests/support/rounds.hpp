// SPDX-License-Identifier: MIT
//
// rounds: how often a random test without kernels goes round. Under the sanitizers, where each round takes twenty times as
// long, a tenth.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

inline constexpr int rounds(int count) {
    return is_sanitized ? count / 10 : count;
}
