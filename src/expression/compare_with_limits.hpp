// SPDX-License-Identifier: MIT
//
// Comparisons of integers with numbers that their dtype cannot hold.
#pragma once

#include <cstdint>

#include "expression/node.hpp"
#include "expression/tape.hpp"

namespace kgen {

bool is_comparison(std::uint16_t word) noexcept;

// NumPy compares integers with numbers of any size. Replaces each number that does not fit the dtype by the nearest one
// that does, and its function by one with the same result: x < 300 of uint8 becomes x <= 255, and x == 300 becomes
// x > 255. `list` are the nodes of the tape. Returns whether the tape was changed.
bool compare_with_limits(detail::Tape& tape, const NodeList& list);

}  // namespace kgen
