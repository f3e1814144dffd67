// SPDX-License-Identifier: MIT
//
// ReduceDims: whether a kernel's loop merges adjacent axes if possible. The results are the same. It exists
// for compatibility with CuPy.
#pragma once

#include <cstdint>

namespace kgen {

enum class ReduceDims : std::uint8_t { yes, no };

}  // namespace kgen
