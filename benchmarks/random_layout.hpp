// SPDX-License-Identifier: MIT
//
// Draws how an operand of a random call lies in memory: permuted, in Fortran order, sliced, reversed,
// broadcast or misaligned.
#pragma once

#include "benchmarks/random_draw.hpp"

namespace kgen::bench {

// Percentages of operands with each property. `broadcast` applies to inputs only.
struct LayoutOdds {
    int permuted = 15;  // two fifths of these in Fortran order
    int sliced = 25;
    int reversed = 15;
    int broadcast = 25;
    int misaligned = 20;
};

// Returns an operand that broadcasts to `shape`. Its properties do not depend on the extents.
Operand random_operand(Draw& draw, DType dtype, const Dims& shape, const LayoutOdds& odds);

}  // namespace kgen::bench
