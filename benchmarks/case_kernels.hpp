// SPDX-License-Identifier: MIT
//
// The kernels of the cases. One body serves many layouts; the tolerance is that of the output's
// dtype: a few roundings of each operation.
#pragma once

#include "benchmarks/bench_case.hpp"

namespace kgen::bench {

// A few units in the last place of the dtype; 0 for integers, which must be exact.
double rounding(DType dtype);

Kernel axpb(DType dtype);                // y = 2 x + 1
Kernel copy_of(DType dtype);             // y = x
Kernel squared_difference(DType dtype);  // z = (x - y)^2
Kernel sum(DType dtype);                 // z = x + y
Kernel product(DType dtype);             // z = x * y

}  // namespace kgen::bench
