// SPDX-License-Identifier: MIT
//
// can_compile: whether a kernel that is not in the cache can be compiled.
#pragma once

#include "device/compiler.hpp"

namespace kgen {

// Returns true if compiling is not forbidden (KGEN_COMPILE=never) and the compiler is available.
bool can_compile(const Compiler& compiler);

}  // namespace kgen
