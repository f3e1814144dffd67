// SPDX-License-Identifier: MIT
//
// Types. A type of one letter is a placeholder for a dtype. Equal letters stand for equal dtypes. A longer
// type is the name of a dtype. One definition serves every dtype and is compiled for each dtype on its first
// use.
#include <fmt/format.h>

#include <complex>
#include <kgen/kgen.hpp>

using namespace kgen;

int main() {
    ElementwiseKernel square("T x", "T y", "y = x * x", "square");
    fmt::print("int32       {}\n", square(arange(5, int32)));
    fmt::print("float64     {}\n", square(arange(5, float64)));
    fmt::print("float16     {}\n", square(arange(5, float16)));
    fmt::print("complex64   {}\n", square(from_vector<std::complex<float>>({{0, 1}, {1, 2}})));

    // Two letters stand for two dtypes. The output's letter must occur among the inputs, or out() must
    // provide its dtype.
    ElementwiseKernel scale("T x, U gain", "T y", "y = x * gain", "scale");
    fmt::print("T=uint8, U=float32   {}\n", scale(arange(5, uint8), full({5}, 2.5, float32)));
    ElementwiseKernel convert("T x", "U y", "y = x", "convert");
    Array halves = empty({4}, float32);
    convert(from_vector<double>({0.5, 1.5, 2.5, 3.5}), out(halves));
    fmt::print("T=float64, U=float32 {}\n", halves);

    // A number takes the dtype of its parameter and must fit into it. Here 2 becomes an int8, but 300 does
    // not fit.
    ElementwiseKernel add("T x, T y", "T z", "z = x + y", "add");
    fmt::print("int8 + 2    {}\n", add(arange(5, int8), 2));
    try {
        add(arange(5, int8), 300);
    } catch (const TypeError& error) {
        fmt::print("\n{}\n", error.what());
    }

    // Arrays are never converted implicitly.
    try {
        add(arange(5, int32), arange(5, float32));
    } catch (const TypeError& error) {
        fmt::print("\n{}\n", error.what());
    }
    fmt::print("\n{}\n", add(arange(5, int32).astype(float32), arange(5, float32)));
}

// Output:
// int32       [ 0  1  4  9 16]
// float64     [ 0.  1.  4.  9. 16.]
// float16     [ 0.  1.  4.  9. 16.]
// complex64   [-1.+0.j -3.+4.j]
// T=uint8, U=float32   [ 0  2  5  7 10]
// T=float64, U=float32 [0.5 1.5 2.5 3.5]
// int8 + 2    [2 3 4 5 6]
//
// kernel 'add': argument 2 ('y'): 300 does not fit int8 (-128 to 127)
//
// kernel 'add': T is int32 from argument 1 ('x') but float32 from argument 2 ('y'); convert one of them with astype
//
// [0. 2. 4. 6. 8.]
