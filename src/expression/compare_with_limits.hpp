// SPDX-License-Identifier: MIT
//
// Comparisons with numbers that the dtype of the arrays cannot hold.
#pragma once

#include <cstdint>

#include "expression/node.hpp"
#include "expression/tape.hpp"

namespace kgen {

// Whether the function of a word takes numbers that do not fit the dtype: comparisons and logical functions, but not
// of complex numbers.
bool takes_any_number(std::uint16_t word, DType dtype) noexcept;

// Gives these functions NumPy's results. Replaces each number that does not fit the dtype by the nearest one that does,
// and a comparison by one with the same result: x < 300 of uint8 becomes x <= 255, and x == 300 becomes x > 255. `list`
// are the nodes of the tape. Returns whether the tape was changed.
bool compare_with_limits(detail::Tape& tape, const NodeList& list);

}  // namespace kgen
