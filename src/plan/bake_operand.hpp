// SPDX-License-Identifier: MIT
//
// What is baked alike for every kind of loop.
#pragma once

#include <cstddef>

#include "plan/plan_context.hpp"

namespace kgen {

// Returns the bytes that a kernel may change: those of written operands and of raw parameters.
PerParameter<AddressSpan> stored_spans(const PlanContext& context);
// Whether operand k's bytes stay unchanged while the kernel runs. Always false in a general plan.
bool is_read_only(const PlanContext& context,
                  const PerParameter<AddressSpan>& stored,
                  std::size_t k);

// Returns the axes of the shape that have one element.
AxisSet unit_axes(const Dims& shape);

// Returns a plan's baked half with the fields that do not depend on the loop.
Baked bake_common(const PlanContext& context);

// Bakes the raw view of operand k: its rank, whether it is contiguous, and the width of its offsets. Changes
// nothing if the body has no view of k, that is, if k is neither raw nor used as `_raw_name`.
void bake_view(const PlanRequest& request, std::size_t k, BakedOperand& baked);

}  // namespace kgen
