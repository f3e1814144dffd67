// SPDX-License-Identifier: MIT
//
// Which arrays share bytes. An element-by-element loop may read what it writes only at the same
// place in its walk.
#pragma once

#include <cstdint>

#include "plan/operand.hpp"

namespace kgen {

// Whether two arrays have a byte in common. Exact for every layout that the search settles within
// its bound of steps (all that occur in practice); else the answer is yes.
bool have_common_bytes(const Operand& a, const Operand& b);

// Whether two elements of one array share a byte (a stride of 0, or windows). Exact within the same
// bound; else the answer is yes.
bool overlaps_itself(const Operand& operand);

// Whether both walk the same addresses in the same order over the loop's shape, element size
// included: exactly in place.
bool is_same_walk(const Operand& a, const Operand& b, const Dims& loop);

}  // namespace kgen
