// SPDX-License-Identifier: MIT
//
// The reductions of the cases. Sums are sums of squares, so that terms do not cancel and errors are relative
// to the whole sum.
#pragma once

#include "benchmarks/bench_case.hpp"

namespace kgen::bench {

// The sum of x * x for a floating-point dtype. The result of float16 and bfloat16 is float32.
Reduction sum_of_squares(DType dtype, Accuracy accuracy = Accuracy::plain);
// The sum of integers, exact modulo 2^32 or 2^64.
Reduction integer_sum(DType dtype, DType result);
Reduction largest(DType dtype);  // has no identity
Reduction squared_distance();    // float32: the sum of (x - y)^2

// float32: the largest value and its C-order index, the lowest one of equal values.
Reduction largest_with_index();
// float32: mean and variance (of the population) in one pass, without a division for each element.
Reduction mean_and_variance();

}  // namespace kgen::bench
