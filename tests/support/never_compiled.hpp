// SPDX-License-Identifier: MIT
//
// never_compiled(): a comment that makes a text one that no process has compiled, whatever the cache of the tests holds.
#pragma once

#include <random>
#include <string>

inline std::string never_compiled() {
    std::random_device random;
    return "/* " + std::to_string(random()) + "_" + std::to_string(random()) + " */";
}
