// SPDX-License-Identifier: MIT
//
// The host's loops: their rows of the table. Each stands in the file that chooses and measures the loop.
#pragma once

#include <string>

#include "plan/loop_table.hpp"

namespace kgen {

extern const Loop host_tiles_loop, host_short_rows_loop, host_rows_loop;
extern const Loop host_reduced_rows_loop, host_reduced_columns_loop;

// Says how a loop, elementwise or of a reduction, moves through an array.
std::string describe_host_access(const Baked& baked, const BakedOperand& operand);

}  // namespace kgen
