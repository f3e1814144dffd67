// SPDX-License-Identifier: MIT
//
// The environment variables of kgen (KGEN_*), ignored in setuid programs.
#pragma once

#include <optional>
#include <string>

namespace kgen {

// The value of the variable; nothing if it is unset or empty, or if the process runs with the
// rights of another user (secure_getenv).
std::optional<std::string> environment(const char* name);

}  // namespace kgen
