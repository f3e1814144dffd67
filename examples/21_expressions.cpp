// SPDX-License-Identifier: MIT
//
// Expressions: operators and functions of arrays, with NumPy's names and results. They need no strings. A
// statement runs as one kernel, which stores no intermediate results.
#include <fmt/format.h>

#include <kgen/kgen.hpp>

using namespace kgen;
using namespace kgen::indexing;

int main() {
    const Array x = arange(6, float32).reshape(2, 3);
    const Array y = array({1, 2, 3}, float32);

    // The result must be declared as Array. With `auto` it would be an expression that is not computed yet.
    const Array z = sqrt(x * x + y);
    fmt::print("sqrt(x * x + y)    {}\n", z);
    fmt::print("minimum, printed   {}\n", minimum(x, 4 - y));

    // Reductions of expressions, one kernel each.
    fmt::print("sum                {}\n", sum(x * y));
    fmt::print("norms of the rows  {}\n", sqrt(sum(x * x, axis(1))));
    fmt::print("is any above 4     {}\n", any(x > 4));

    // Reductions along the same axes and what is computed from them are one kernel. Reductions along different axes need more.
    // explain() returns a description of each kernel of a statement.
    fmt::print("softmax            {}\n", to_text(Array(softmax(x)), {.precision = 3}));
    fmt::print("kernels: {} and {}\n",
               explain(exp(x) / sum(exp(x), axis(1), keepdims)).size(),
               explain(x / sum(x, axis(0), keepdims) / sum(x, axis(1), keepdims)).size());

    // The dtypes are NumPy's: a number takes the dtype of the array if its kind allows it.
    const Array bytes = arange(3, int8);
    fmt::print("int8 + 1 is {}, int8 + 1.5 is {}, int8 / int8 is {}\n",
               to_text(Array(bytes + 1).dtype()),
               to_text(Array(bytes + 1.5).dtype()),
               to_text(Array(bytes / bytes).dtype()));

    // Operators such as += write into an array or a view of one. So does assigning to an indexed array. A
    // view that has a name is assigned by assign().
    Array table = zeros({3, 4}, int32);
    table += arange(4);                      // each row
    table[1] *= 10;                          // one row
    table[{all, -1}] = table[{all, 0}] - 1;  // the last column
    Array corner = table[{s(1, {}), s({}, 2)}];
    corner.assign(corner + 100);
    fmt::print("table              {}\n", table);

    // The right side may read what the left side overwrites: each element becomes the one before it.
    Array line = arange(8);
    line[s(1, {})] = line[s({}, -1)];
    fmt::print("shifted            {}\n", line);

    // compute() evaluates several expressions in one kernel, and writes to given arrays.
    const auto [low, high] = compute(minimum(x, 2), maximum(x, 2));
    compute(low + high, out(z));
    fmt::print("low {}\nhigh {}\nlow + high {}\n", low, high, z);

    // bind() prepares a statement that is run many times. A step then costs only the launch.
    Array root = ones({3}, float64);
    const BoundLaunch newton = bind((root + y / root) / 2, out(root));
    for (int k = 0; k < 5; ++k) newton();
    fmt::print("square roots       {}\n", root);
}

// Output:
// sqrt(x * x + y)    [[1.        1.7320508 2.6457512]
//  [3.1622777 4.2426405 5.2915025]]
// minimum, printed   [[0. 1. 1.]
//  [3. 2. 1.]]
// sum                34.0
// norms of the rows  [2.236068 7.071068]
// is any above 4     True
// softmax            [[0.09  0.245 0.665]
//  [0.09  0.245 0.665]]
// kernels: 1 and 3
// int8 + 1 is int8, int8 + 1.5 is float64, int8 / int8 is float64
// table              [[  0   1   2  -1]
//  [100 110  20  -1]
//  [100 101   2  -1]]
// shifted            [0 0 1 2 3 4 5 6]
// low [[0. 1. 2.]
//  [2. 2. 2.]]
// high [[2. 2. 2.]
//  [3. 4. 5.]]
// low + high [[2. 3. 4.]
//  [5. 6. 7.]]
// square roots       [1.         1.41421356 1.73205081]
