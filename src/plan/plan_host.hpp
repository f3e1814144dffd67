// SPDX-License-Identifier: MIT
//
// The rows of the loop table for the host. Each row is defined in the file that chooses and measures its
// loop.
#pragma once

#include <string>

#include "plan/loop_table.hpp"

namespace kgen {

extern const Loop host_tiles_loop, host_short_rows_loop, host_rows_loop;
extern const Loop host_short_folds_loop, host_reduced_rows_loop, host_reduced_columns_loop;
extern const Loop host_fused_rows_loop, host_fused_columns_loop;

inline constexpr std::int64_t most_step =
    4;  // elements of a stride by which g++ vectorises loads if it knows it

// Returns the stride class of operand k along the axis. A negative axis means that there is one element.
StrideClass host_stride_class(const PlanContext& context, std::size_t k, int axis);
// Bakes the stride classes of all arrays along an axis, and short strides. With these, g++ vectorises loads.
void bake_along(const PlanContext& context, int axis, Baked& baked);

// Describes how a loop, elementwise or of a reduction, accesses an array.
std::string describe_host_access(const Baked& baked, const BakedOperand& operand);

}  // namespace kgen
