// SPDX-License-Identifier: MIT
//
// The first kernel: parameters, a body, a name. It is compiled on the first call and stored on disk, so the
// next process only loads it.
#include <fmt/format.h>

#include <chrono>
#include <kgen/kgen.hpp>

using namespace kgen;

int main() {
    Array x = arange(10, float32).reshape({2, 5});
    Array y = arange(5, float32);

    // T is a placeholder. It takes the dtype of the arguments.
    ElementwiseKernel squared_diff("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff");

    const auto start = std::chrono::steady_clock::now();
    Array z = squared_diff(x, y);  // (2, 5) and (5,) broadcast; z is new
    synchronize();
    const std::chrono::duration<double, std::milli> first =
        std::chrono::steady_clock::now() - start;
    fmt::print("{}\n", z);

    squared_diff(x, 5, out(z));  // a number as an argument; z is overwritten
    fmt::print("{}\n", z);

    // The time goes to stderr, because it differs from run to run.
    fmt::print(stderr, "first call on {}: {:.1f} ms\n", to_text(z.device()), first.count());
}

// Output:
// [[ 0.  0.  0.  0.  0.]
//  [25. 25. 25. 25. 25.]]
// [[25. 16.  9.  4.  1.]
//  [ 0.  1.  4.  9. 16.]]
