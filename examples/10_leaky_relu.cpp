// SPDX-License-Identifier: MIT
//
// Numbers as arguments. A number takes the dtype of its parameter and must fit into it. It is passed at the
// launch, so another number does not need another kernel.
#include <fmt/format.h>

#include <kgen/kgen.hpp>

using namespace kgen;

int main() {
    const ElementwiseKernel leaky_relu(
        "T x, T slope", "T y", "y = x < 0 ? slope * x : x", "leaky_relu");
    const Array x = arange(-2, 3, 1, float32);
    fmt::print("slope 0.1   {}\n", leaky_relu(x, 0.1));
    fmt::print("slope 0.25  {}\n", leaky_relu(x, 0.25));

    // x decides T, so 0.5 becomes a float16 in the first call and a float64 in the second.
    fmt::print("float16     {}\n", leaky_relu(x.astype(float16), 0.5));
    fmt::print("float64     {}\n", leaky_relu(x.astype(float64), 0.5));

    // The slopes may also be an array. By broadcasting, each channel of a (2, 5) batch has its own slope.
    const Array slopes = from_vector<float>({0, 1}).reshape({2, 1});
    fmt::print("by channel  {}\n", leaky_relu(x, slopes));

    // The output may be the input.
    const Array y = x.copy();
    leaky_relu(y, 0.5, out(y));
    fmt::print("in place    {}\n", y);

    // A number that does not fit is rejected, not rounded. 0.1 is not an integer.
    try {
        leaky_relu(arange(5, int32), 0.1);
    } catch (const TypeError& error) {
        fmt::print("{}\n", error.what());
    }

    // The gradient has two arrays and a number as inputs.
    const ElementwiseKernel backward(
        "T x, T slope, T dy", "T dx", "dx = x < 0 ? slope * dy : dy", "leaky_relu_backward");
    fmt::print("gradient    {}\n", backward(x, 0.1, full({5}, 1, float32)));
}

// Output:
// slope 0.1   [-0.2 -0.1  0.   1.   2. ]
// slope 0.25  [-0.5  -0.25  0.    1.    2.  ]
// float16     [-1.  -0.5  0.   1.   2. ]
// float64     [-1.  -0.5  0.   1.   2. ]
// by channel  [[-0. -0.  0.  1.  2.]
//  [-2. -1.  0.  1.  2.]]
// in place    [-1.  -0.5  0.   1.   2. ]
// kernel 'leaky_relu': argument 2 ('slope'): 0.1 does not fit int32 (it is not an integer)
// gradient    [0.1 0.1 1.  1.  1. ]
