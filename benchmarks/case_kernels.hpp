// SPDX-License-Identifier: MIT
//
// The kernels of the cases. Each body serves many layouts. The tolerance follows from the output's dtype and
// allows a few roundings of each operation.
#pragma once

#include "benchmarks/bench_case.hpp"

namespace kgen::bench {

// Returns a few units in the last place of the dtype, or 0 for integers, which must be exact.
double rounding(DType dtype);

Kernel axpb(DType dtype);                // y = 2 x + 1
Kernel copy_of(DType dtype);             // y = x
Kernel squared_difference(DType dtype);  // z = (x - y)^2
Kernel sum(DType dtype);                 // z = x + y
Kernel product(DType dtype);             // z = x * y

}  // namespace kgen::bench
