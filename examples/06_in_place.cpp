// SPDX-License-Identifier: MIT
//
// Existing arrays as outputs: updated in place, written through views, and overlapping their inputs.
#include <fmt/format.h>

#include <kgen/kgen.hpp>

using namespace kgen;

int main() {
    // An output may be read: `y += ...` updates it.
    ElementwiseKernel axpy("T a, T x", "T y", "y += a * x", "axpy");
    Array x = arange(6, float32);
    Array y = full({6}, 100, float32);
    axpy(2, x, out(y));
    fmt::print("{}\n", y);

    // A view shares the memory of its array. This one has every other element, from the end.
    ElementwiseKernel negate("T x", "T y", "y = -x", "negate");
    Array backwards = y.slice({{.step = -2}});
    negate(backwards, out(backwards));
    fmt::print("{}\n", y);

    // The output is a column of a matrix. The number broadcasts to it.
    Array matrix = zeros({3, 4}, int32);
    ElementwiseKernel set("T value", "T y", "y = value", "set");
    set(7, out(matrix.slice({{}, {.start = 1, .stop = 2}})));
    fmt::print("{}\n", matrix);

    // If an output overlaps an input, the input is copied first, so the result is the same as without
    // overlap.
    ElementwiseKernel copy("T x", "T y", "y = x", "copy");
    Array line = arange(8, int32);
    copy(line.slice({{.stop = -1}}), out(line.slice({{.start = 1}})));
    fmt::print("{}\n", line);

    // A view of the program's own memory. Nothing is copied.
    double values[] = {1, 2, 3};
    const DeviceScope on_the_host(Device::host());
    Array view = Array::view(values, float64, {3});
    axpy(0.5, view, out(view));
    fmt::print("{} {} {}\n", values[0], values[1], values[2]);
}

// Output:
// [100. 102. 104. 106. 108. 110.]
// [ 100. -102.  104. -106.  108. -110.]
// [[0 7 0 0]
//  [0 7 0 0]
//  [0 7 0 0]]
// [0 0 1 2 3 4 5 6]
// 1.5 3 4.5
