// SPDX-License-Identifier: MIT
//
// never_compiled(): a random comment. A text that contains it has never been compiled, so the
// cache holds nothing for it.
#pragma once

#include <random>
#include <string>

inline std::string never_compiled() {
    std::random_device random;
    return "/* " + std::to_string(random()) + "_" + std::to_string(random()) + " */";
}
