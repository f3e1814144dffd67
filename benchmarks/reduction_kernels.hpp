// SPDX-License-Identifier: MIT
//
// The reductions of the cases. Sums are of squares, so that an error is one of the whole sum.
#pragma once

#include "benchmarks/bench_case.hpp"

namespace kgen::bench {

// Of floating point, y the sum of x * x; float16 and bfloat16 give float32.
Reduction sum_of_squares(DType dtype, Accuracy accuracy = Accuracy::plain);
// Of integers, exact modulo 2^32 or 2^64.
Reduction integer_sum(DType dtype, DType result);
Reduction largest(DType dtype);  // without an identity
Reduction squared_distance();    // float32: the sum of (x - y)^2

// float32: the largest value and its C-order index; of equals the lowest index.
Reduction largest_with_index();
// float32: mean and variance (of the population) from one pass, without a division an element.
Reduction mean_and_variance();

}  // namespace kgen::bench
