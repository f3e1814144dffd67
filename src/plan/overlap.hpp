// SPDX-License-Identifier: MIT
//
// Functions that find out whether arrays share bytes. An elementwise loop may read memory that it also writes
// only if both accesses happen at the same place of its walk.
#pragma once

#include <cstdint>

#include "plan/operand.hpp"

namespace kgen {

// Whether two arrays have a byte in common. The answer is exact unless the search exceeds a limit of steps,
// which layouts in practice do not reach. Beyond the limit the answer is yes.
bool have_common_bytes(const Operand& a, const Operand& b);

// Whether two elements of one array share a byte, as with a stride of 0 or overlapping windows. The same
// limit applies.
bool overlaps_itself(const Operand& operand);

// Whether both arrays have the same address, item size and strides over the loop's shape, so that a loop may
// write one in place of the other.
bool is_same_walk(const Operand& a, const Operand& b, const Dims& loop);

}  // namespace kgen
