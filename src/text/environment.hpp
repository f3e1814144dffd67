// SPDX-License-Identifier: MIT
//
// Reads kgen's environment variables (KGEN_*), which are ignored in setuid programs.
#pragma once

#include <optional>
#include <string>

namespace kgen {

// Returns the value of the variable, or nothing if it is unset or empty, or if the process runs with the
// privileges of another user (secure_getenv).
std::optional<std::string> environment(const char* name);

}  // namespace kgen
