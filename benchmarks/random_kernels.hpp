// SPDX-License-Identifier: MIT
//
// Draws the kernels of random calls, with their references. A kernel depends on the rank of the loop, but on
// no extent, so a seed has the same kernel at every size.
#pragma once

#include "benchmarks/random_draw.hpp"

namespace kgen::bench {

struct RandomKernel {
    std::variant<Kernel, Reduction, ArrayFunction> kernel;  // as in Case
    std::vector<DType> inputs;
    std::vector<DType> outputs;
    std::string expression;  // see RandomCase
    bool has_raw = false;    // the last input is raw
};

// Draws a copy, or 1 to 4 sums of terms, from a product to a polynomial of degree 24, of 1 to 8 inputs, the index
// and gathered elements. `light`: mostly copies and sums of few terms.
RandomKernel random_elementwise(Draw& draw, int rank, bool light);

// Draws a sum, a count, an extreme or an accumulator of its own.
RandomKernel random_reduction(Draw& draw);

}  // namespace kgen::bench
