// SPDX-License-Identifier: MIT
//
// What every plan bakes of an operand, whatever the loop.
#pragma once

#include <cstddef>

#include "plan/plan.hpp"

namespace kgen {

// Nobody writes its bytes during the kernel: no output, and no raw parameter reaches them.
bool is_read_only(const PlanRequest& request, std::size_t k);

// Throws ShapeError if a walk has more axes than a general plan.
void check_general_rank(const PlanRequest& request, int rank);

// How a raw parameter, or an array that a body sees as `_raw_name`, is indexed.
void bake_view(const PlanRequest& request, std::size_t k, BakedOperand& baked);

}  // namespace kgen
