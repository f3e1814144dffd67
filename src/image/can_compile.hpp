// SPDX-License-Identifier: MIT
#pragma once

#include "device/compiler.hpp"

namespace kgen {

// Whether a miss can be compiled: it is not forbidden (KGEN_COMPILE=never), and the compiler is there.
bool can_compile(const Compiler& compiler);

}  // namespace kgen
