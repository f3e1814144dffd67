// SPDX-License-Identifier: MIT
//
// rounds: how often a random test without kernels goes round. Under the sanitizers, where each round takes twenty times as
// long, a tenth.
#pragma once

inline constexpr int rounds(int count) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return count / 10;
#else
    return count;
#endif
}
