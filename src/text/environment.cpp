// SPDX-License-Identifier: MIT
#include "text/environment.hpp"

#include <cstdlib>

namespace kgen {

std::optional<std::string> environment(const char* name) {
    const char* value = ::secure_getenv(name);
    if (value == nullptr || *value == '\0') return std::nullopt;
    return std::string(value);
}

}  // namespace kgen
