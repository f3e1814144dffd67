// SPDX-License-Identifier: MIT
//
// A kernel may have several outputs. Its body may consist of any statements, with `continue`, functions of a
// preamble and macros of the options.
#include <fmt/format.h>

#include <kgen/kgen.hpp>

using namespace kgen;

int main() {
    Array x = arange(-3, 4, 1, float32);

    ElementwiseKernel split(
        "T x", "T lo, T hi", "lo = x < 0 ? x : T(0); hi = x < 0 ? T(0) : x", "split");
    auto [lo, hi] = split.call<2>(x);
    fmt::print("lo        {}\nhi        {}\n", lo, hi);

    // Outputs of different dtypes.
    ElementwiseKernel divide("int32 a, int32 b",
                             "int32 quotient, int32 remainder, bool is_exact",
                             R"(
        quotient = a / b;
        remainder = a % b;
        is_exact = remainder == 0;)",
                             "divide");
    auto [quotient, remainder, is_exact] = divide.call<3>(arange(10, 16, 1, int32), 3);
    fmt::print("quotient  {}\nremainder {}\nis_exact  {}\n", quotient, remainder, is_exact);

    // The preamble defines functions, the options define macros. `continue` ends the body for one element,
    // whose output keeps its old value.
    ElementwiseKernel escape(
        "float32 c",
        "int32 steps",
        R"(
        if (c < -2) continue;
        float z = 0;
        steps = 0;
        while (steps < STEPS && z * z <= 4) {
            z = advance(z, c);
            ++steps;
        })",
        "escape",
        {.preamble = "__device__ float advance(float z, float c) { return z * z + c; }",
         .options = {"-DSTEPS=20"}});
    Array steps = full({6}, -1, int32);
    escape(from_vector<float>({-3, -2, -1, 0, 0.5f, 1}), out(steps));
    fmt::print("steps     {}\n", steps);
}

// Output:
// lo        [-3. -2. -1.  0.  0.  0.  0.]
// hi        [0. 0. 0. 0. 1. 2. 3.]
// quotient  [3 3 4 4 4 5]
// remainder [1 2 0 1 2 0]
// is_exact  [False False  True False False  True]
// steps     [-1 20 20 20  5  3]
