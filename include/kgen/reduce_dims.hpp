// SPDX-License-Identifier: MIT
//
// ReduceDims: whether a kernel's loop merges adjacent axes where it can; results are the same. For
// CuPy's sake.
#pragma once

#include <cstdint>

namespace kgen {

enum class ReduceDims : std::uint8_t { yes, no };

}  // namespace kgen
