// SPDX-License-Identifier: MIT
//
// A reduction folds elements along some or all axes. Four strings define it: the map computes a value from
// each element, the reduce expression folds two values a and b into one, the post-map computes the output
// from the final accumulator a, and the identity is the start value.
#include <fmt/format.h>

#include <kgen/kgen.hpp>

using namespace kgen;

int main() {
    const Array x = from_vector<float>({3, 4, 6, 8, 5, 12}).reshape({3, 2});

    const ReductionKernel l2norm("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm");
    fmt::print("of each row     {}\n", l2norm(x, axis(1)));
    fmt::print("of each column  {}\n", l2norm(x, axis(0)));
    fmt::print("of all          {}\n", l2norm(x));

    // With keepdims a reduced axis keeps extent 1, so the norms are a column, which broadcasts to the rows.
    const ElementwiseKernel divide("T x, T y", "T z", "z = x / y", "divide");
    fmt::print("rows of norm 1  {}\n", divide(x, l2norm(x, axis(1), keepdims)));

    // Several inputs broadcast first. Here each column has a weight.
    const ReductionKernel weighted(
        "T x, T weight", "T y", "weight * x * x", "a + b", "y = sqrt(a)", "0", "weighted");
    fmt::print("first column    {}\n", weighted(x, from_vector<float>({1, 0}), axis(1)));

    // Small integer dtypes accumulate in int64, so their sums do not wrap.
    const ReductionKernel sum("T x", "int64 y", "x", "a + b", "y = a", "0", "sum");
    fmt::print("sum of 1000 times 100 in int8: {}\n", sum(full({1000}, 100, int8)));

    // Without an identity the fold starts with the first element, and an empty input is an error.
    const ReductionKernel largest("T x", "T y", "x", "max(a, b)", "y = a", "", "largest");
    fmt::print("largest {}\n", largest(x, axis(1)));
    try {
        largest(zeros({0}, float32));
    } catch (const ShapeError& error) {
        fmt::print("{}\n", error.what());
    }
}

// Output:
// of each row     [ 5. 10. 13.]
// of each column  [ 8.3666  14.96663]
// of all          17.14643
// rows of norm 1  [[0.6       0.8      ]
//  [0.6       0.8      ]
//  [0.3846154 0.9230769]]
// first column    [3. 6. 5.]
// sum of 1000 times 100 in int8: 100000
// largest [ 4.  8. 12.]
// kernel 'largest': cannot reduce zero elements without an identity: shape (0,); pass an identity to the kernel, or check size() first
