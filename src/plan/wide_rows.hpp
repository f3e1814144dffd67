// SPDX-License-Identifier: MIT
//
// The threads of a block that folds columns, and wide rows: if there are few columns and rows are dense, several rows form a wide row,
// so that a block still reads whole cache lines.
#pragma once

#include <cstddef>
#include <cstdint>

#include "plan/column_tile.hpp"

namespace kgen {

inline constexpr int column_threads = 512;

// Returns the bytes of an accumulator, or 16 if only the compiler knows its type.
std::int64_t usual_accumulator_bytes(const PlanContext& context);

// Whether the input is contiguous along a row, and each row follows the one before it without a gap.
bool columns_are_dense(const PlanContext& context, std::size_t k);

// Returns the greatest number of threads in a block that can store their folds in shared memory.
int column_block_threads(const PlanContext& context, int vector);

// Returns the largest number of threads, up to `threads`, that together handle whole rows.
std::int64_t wide_threads(std::int64_t columns, int vector, std::int64_t threads);

// Whether the tiles of a row, whose threads side by side are a power of two, have work for three quarters of these.
bool fills_tiles(std::int64_t columns, int vector);

// Where the elements of each group of columns begin in dense inputs: at multiples of a vector of `vector` elements, in all of them at the
// same place within one, or at different places.
enum class RowBegins { aligned, alike, apart };
RowBegins row_begins(const PlanContext& context, int vector);

// Whether rows can be treated as wide rows if the inputs are accessed as `baked` says.
bool may_be_wide(const PlanContext& context, const Baked& baked);

}  // namespace kgen
