// SPDX-License-Identifier: MIT
//
// milliseconds_since: measures how long a stage took, for the log.
#pragma once

#include <chrono>

namespace kgen {

inline double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
}

}  // namespace kgen
