// SPDX-License-Identifier: MIT
//
// Raw parameters. The body receives the whole array and indexes it. `i` is the index of the element that is
// computed, `_ind.size()` the number of elements, `_ind.get()` the indices along each axis.
#include <fmt/format.h>

#include <kgen/kgen.hpp>

using namespace kgen;

int main() {
    Array x = arange(5, float32);
    Array y = full({5}, 10, float32);

    // x is read element by element, y is indexed from its end.
    ElementwiseKernel reversed(
        "T x, raw T y", "T z", "z = x + y[_ind.size() - i - 1]", "add_reversed");
    fmt::print("{}\n", reversed(y, x));

    // If every array is raw, `size` gives the number of elements.
    ElementwiseKernel squares("raw T x", "raw T y", "y[i] = x[i] * x[i]", "squares");
    Array some = zeros({5}, float32);
    squares(x, out(some), size(3));
    fmt::print("{}\n", some);

    // Gather: one array contains indices into another.
    ElementwiseKernel take("raw T table, int64 index", "T value", "value = table[index]", "take");
    fmt::print("{}\n", take(arange(0, 100, 10, int32), from_vector<std::int64_t>({9, 0, 4, 4})));

    // A raw array can be indexed by an array with an index for each axis. This works for any layout, here for
    // a transposed matrix.
    ElementwiseKernel diagonal(
        "raw T matrix", "T value", "ptrdiff_t at[2] = {i, i}; value = matrix[at]", "diagonal");
    Array matrix = arange(9, int32).reshape({3, 3}).transpose();
    fmt::print("{}\n", diagonal(matrix, out(empty({3}, int32))));

    // The sum of the two neighbours in a row. The array knows its shape.
    ElementwiseKernel neighbours("raw T x",
                                 "T sum",
                                 R"(
        const ptrdiff_t row = _ind.get()[0], column = _ind.get()[1];
        const ptrdiff_t left[2] = {row, max(column - 1, ptrdiff_t(0))};
        const ptrdiff_t right[2] = {row, min(column + 1, x.shape()[1] - 1)};
        sum = x[left] + x[right];)",
                                 "neighbours");
    fmt::print("{}\n", neighbours(arange(8, int32).reshape({2, 4}), out(empty({2, 4}, int32))));
}

// Output:
// [14. 13. 12. 11. 10.]
// [0. 1. 4. 0. 0.]
// [90  0 40 40]
// [0 4 8]
// [[ 1  2  4  5]
//  [ 9 10 12 13]]
