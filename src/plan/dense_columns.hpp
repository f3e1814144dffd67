// SPDX-License-Identifier: MIT
//
// Rows beside each other whose elements lie in memory without gaps, one line of all columns behind the other. A team has all of
// them, and its threads read vectors as they lie in memory, whatever the number of columns is. Their accesses together are whole
// lines, so each element of a thread's vectors is always of the same column.
#pragma once

#include <string>

#include "plan/plan_cuda.hpp"

namespace kgen {

// Returns false if the arrays have gaps, or if the columns are more than a thread block can fold.
bool choose_dense_columns(const PlanContext& context, Baked& baked);
Geometry measure_dense_columns(const PlanContext& context, const Baked& baked);
std::string describe_dense_columns(const Baked& baked);

// Whether blocks of the whole grid fold some columns each, and wait twice. Kernels decide alike (kgen_fold_dense_grid).
inline bool divides_columns(const FusedTeams& teams) {
    return teams.blocks * teams.columns > 4096;
}

// Returns the number of threads of a block that have elements.
std::int64_t dense_lanes(const PlanContext& context, const Baked& baked, std::int64_t threads);

}  // namespace kgen
