// SPDX-License-Identifier: MIT
//
// The parts of a BakedOperand that every plan bakes, for any kind of loop.
#pragma once

#include <cstddef>

#include "plan/plan.hpp"

namespace kgen {

// Whether nothing writes operand k's bytes while the kernel runs: k is not written, and no written operand
// and no raw parameter overlaps it. Always false in a general plan.
bool is_read_only(const PlanRequest& request, std::size_t k);

// Bakes the raw view of operand k: its rank, whether it is contiguous, and the width of its offsets. Changes
// nothing if the body sees no view of k, that is, k is neither raw nor used as `_raw_name`.
void bake_view(const PlanRequest& request, std::size_t k, BakedOperand& baked);

}  // namespace kgen
