// SPDX-License-Identifier: MIT
//
// Broadcasting. Shapes are aligned at their last axes. An axis that is missing or has extent 1 is stretched
// to the extent of the other shape. Nothing is copied, because a stretched axis has stride 0.
#include <fmt/format.h>

#include <kgen/kgen.hpp>

using namespace kgen;

int main() {
    const ElementwiseKernel add("T x, T y", "T z", "z = x + y", "add");
    const Array matrix = arange(6, int32).reshape({2, 3});

    // (2, 3) with (3,): the row is added to each row. A number is added to each element.
    const Array row = from_vector<std::int32_t>({100, 200, 300});
    fmt::print("row     {}\n", add(matrix, row));
    fmt::print("number  {}\n", add(matrix, 10));

    // (2, 3) with (2, 1): the column is added to each column.
    const Array column = from_vector<std::int32_t>({1000, 2000}).reshape({2, 1});
    fmt::print("column  {}\n", add(matrix, column));

    // (4, 1) with (5,): a table of all pairs.
    const ElementwiseKernel times("T x, T y", "T z", "z = x * y", "times");
    fmt::print("table   {}\n", times(arange(4, int32).reshape({4, 1}), arange(5, int32)));

    // This view is what a kernel sees of `row`. It is read-only, because its elements share memory.
    const Array stretched = row.broadcast_to({2, 3});
    fmt::print("strides {} of shape {}, read-only: {}\n",
               to_text(stretched.strides()),
               to_text(stretched.shape()),
               stretched.is_read_only());

    // Distances between all pairs of points: (3, 1, 2) and (1, 3, 2) broadcast to (3, 3, 2), and the last
    // axis is reduced.
    const Array points = from_vector<float>({0, 0, 3, 4, 0, 8}).reshape({3, 2});
    const ReductionKernel distance(
        "T p, T q", "T d", "(p - q) * (p - q)", "a + b", "d = sqrt(a)", "0", "distance");
    fmt::print("{}\n", distance(points.reshape({3, 1, 2}), points.reshape({1, 3, 2}), axis(2)));

    // If shapes do not broadcast, the message shows both.
    try {
        add(matrix, arange(2, int32));
    } catch (const ShapeError& error) {
        fmt::print("{}\n", error.what());
    }
}

// Output:
// row     [[100 201 302]
//  [103 204 305]]
// number  [[10 11 12]
//  [13 14 15]]
// column  [[1000 1001 1002]
//  [2003 2004 2005]]
// table   [[ 0  0  0  0  0]
//  [ 0  1  2  3  4]
//  [ 0  2  4  6  8]
//  [ 0  3  6  9 12]]
// strides (0, 4) of shape (2, 3), read-only: true
// [[0. 5. 8.]
//  [5. 0. 5.]
//  [8. 5. 0.]]
// kernel 'add': shapes do not broadcast: x is (2, 3), y is (2,); axis 1 is 3 against 2
