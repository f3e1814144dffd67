// SPDX-License-Identifier: MIT
//
// Monte-Carlo integration: the part of random points that lie in a quarter of a circle is a quarter of pi. The points are
// drawn within the reduction, so they need no memory.
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <kgen/kgen.hpp>

using namespace kgen;

int main() {
    constexpr std::int64_t points = 10'000'000;

    // Two generators, because C++ does not say which operand of '+' is drawn first.
    const Generator parent(7);
    Generator xs = parent.fork(0);
    Generator ys = parent.fork(1);
    const auto estimate = [&] {
        const Array inside = sum(square(xs.uniform({points})) + square(ys.uniform({points})) < 1.0);
        return 4.0 * static_cast<double>(inside.item<std::int64_t>()) / points;
    };
    // Each call draws new numbers, and compiles nothing, because the seed and the number of the draw are arguments.
    double mean = 0;
    for (int round = 0; round < 4; ++round) {
        const double pi = estimate();
        fmt::print("pi is about {:.6f}\n", pi);
        mean += pi / 4;
    }
    fmt::print("mean {:.6f}, expected error {:.6f}\n", mean, 1.64 / std::sqrt(4.0 * points));

    // The same in the strings of a kernel: a point for each i.
    const ReductionKernel inside(
        "uint64 seed",
        "int64 count",
        "hypot(random_uniform<double>(seed, i), random_uniform<double>(seed, i, 1)) < 1",
        "a + b",
        "count = a",
        "0",
        "inside");
    fmt::print("{} of {} points\n", inside(42, size(points)).item<std::int64_t>(), points);

    // Draw 0 of the seed 42 is the same array wherever it is drawn.
    Generator rng(42);
    fmt::print("{}\n", rng.uniform({4}, float32));
    fmt::print("{}\n", Generator(42).uniform({4}, float32));
    fmt::print("{}\n", rng.integers(1, 7, {10}));
}

// Output:
// pi is about 3.141008
// pi is about 3.140980
// pi is about 3.142162
// pi is about 3.140908
// mean 3.141265, expected error 0.000259
// 7854008 of 10000000 points
// [0.61295986 0.4685865  0.0732317  0.3408615 ]
// [0.61295986 0.4685865  0.0732317  0.3408615 ]
// [1 1 2 5 1 6 1 2 2 1]
