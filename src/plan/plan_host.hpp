// SPDX-License-Identifier: MIT
//
// The host's loops: the functions of their rows in the table (plan/loop_table.cpp).
#pragma once

#include <string>
#include <vector>

#include "plan/loop_table.hpp"

namespace kgen {

// Elementwise loops. A body that keeps state always gets rows, because the order of its elements must be that
// of the walk. A body that takes references, or writes through a raw view, never gets short_rows, because it
// must not see copies. For tiles, the other axis becomes one of the last two axes of the walk, and the last one
// if more operands lie along it.
//
// Measured for float32, 4096 x 4096, X.T * Y, on one core of a Xeon with 2 MiB of L2: rows 1.0 GB/s; tiles of
// 64 x 64 6.5 (32 x 64 6.2, 128 x 128 6.8, through a buffer that is transposed in registers 6.5); a
// contiguous loop 14.5. A row of short_rows costs about 4 ns beside its elements.
bool choose_host_tiles(PlanContext& context, Baked& baked);
bool choose_short_rows(PlanContext& context, Baked& baked);
bool choose_host_rows(PlanContext& context, Baked& baked);
void choose_general_host_rows(PlanContext& context, Baked& baked);
Geometry measure_host_rows(const PlanContext& context, const Baked& baked);
std::string describe_host_tiles(const Baked& baked);
std::string describe_short_rows(const Baked& baked);
std::string describe_host_rows(const Baked& baked);
std::vector<std::string> explain_host_rows(const PlanRequest& request,
                                           const Plan& plan,
                                           const LoopStruct& own);

// Says how a loop, of either table, moves through an array.
std::string describe_host_access(const Baked& baked, const BakedOperand& operand);

// Reductions. Chunks of elements or rows have a fixed size. A tree that depends only on the number of chunks
// folds them, so the bits of a result depend neither on the threads nor on the compiler. If there are so few
// outputs that threads would be idle, each output is cut into pieces, which are whole subtrees (`split`). The
// thread that finishes the last piece folds all pieces.
//
// Measured for float32 sums of squares on one core of a Xeon with 2 MiB of L2, in GB/s for 2^25 and 2^15
// elements: rows 14.0 and 75, eight 256-bit accumulators written by hand 11.7 and 65; columns 13.0 and 61.
bool choose_host_reduced_rows(PlanContext& context, Baked& baked);
bool choose_host_reduced_columns(PlanContext& context, Baked& baked);
void choose_general_host_reduction(PlanContext& context, Baked& baked);
Geometry measure_host_reduction(const PlanContext& context, const Baked& baked);
std::string describe_host_reduction(const Baked& baked);
std::vector<std::string> explain_host_reduction(const PlanRequest& request,
                                                const Plan& plan,
                                                const LoopStruct& own);

}  // namespace kgen
