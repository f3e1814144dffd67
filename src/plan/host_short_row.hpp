// SPDX-License-Identifier: MIT
//
// Short rows on the host: several inner axes that a loop treats as one row. An operand that is not contiguous
// along the row is copied into a pack, by a table of offsets that is written once for a launch.
#pragma once

#include "plan/plan_context.hpp"

namespace kgen {

// The axes from `axis` to that before `last`, with `height` elements along the outermost of them.
struct ShortRow {
    int axis;
    int last;
    std::int64_t height;
    std::int64_t inner;  // elements of the axes inside `axis`

    int axes() const noexcept { return last - axis; }
    std::int64_t elements() const noexcept { return height * inner; }
};

// Returns the row with the most axes before `last` that fit in a pack. `copies` is the number of rows of which
// inputs are packed at once.
ShortRow short_row(const PlanContext& context,
                   int last,
                   std::int64_t copies = 1,
                   int most_axes = 64);

// Returns the stride class of operand k along the row. If the row has several axes and the class is strided,
// the operand is packed.
StrideClass short_row_class(const PlanContext& context, std::size_t k, const ShortRow& row);

// Bakes how all operands lie along the row.
void bake_short_row(const PlanContext& context, const ShortRow& row, Baked& baked);

// Whether tables can hold the offsets of all operands, and outputs do not repeat elements.
bool fits_short_rows(const PlanContext& context, int last);

}  // namespace kgen
