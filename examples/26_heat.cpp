// SPDX-License-Identifier: MIT
//
// The heat equation by finite differences. Slices are views, so an expression of shifted slices reads the
// neighbours of each element. A time step is one kernel, which bind() prepares for the loop.
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "picture.hpp"

using namespace kgen;
using namespace kgen::indexing;

namespace {

// A rod whose ends are kept at 0. A sine wave keeps its shape and decays as exp(-pi * pi * t).
void cool_a_rod() {
    constexpr double pi = std::numbers::pi;
    constexpr double dt = 0.0001;
    const Array u = sin(pi * linspace(0, 1, 51));  // points are 0.02 apart
    for (int step = 0; step <= 1000; ++step) {
        if (step % 500 == 0) {
            fmt::print("t = {:.2f}: the middle is at {:.3f}, exactly {:.3f}\n",
                       step * dt,
                       u[25].item<double>(),
                       std::exp(-pi * pi * step * dt));
        }
        // As in NumPy, the right side is computed before the left side is overwritten.
        u[s(1, -1)] += dt / (0.02 * 0.02) * (u[s(2, {})] - 2 * u[s(1, -1)] + u[s({}, -2)]);
    }
}

// One step of a plate: the inner points of `next` from those of `u` and their four neighbours. Two arrays
// take turns, so that no kernel has to copy what it overwrites.
BoundLaunch plate_step(const Array& u, const Array& next) {
    const Range inner = s(1, -1);
    const Array centre = u[{inner, inner}];
    const Array above = u[{s({}, -2), inner}];
    const Array below = u[{s(2, {}), inner}];
    const Array left = u[{inner, s({}, -2)}];
    const Array right = u[{inner, s(2, {})}];
    return bind(centre + 0.24 * (above + below + left + right - 4 * centre),
                out(next[{inner, inner}]));
}

// A plate that is cold at the border, and hot in a ring and a disc.
Array hot_plate(std::int64_t size) {
    const Array y = linspace(-1, 1, size, float32).reshape(size, 1);
    const Array x = linspace(-1, 1, size, float32);
    const Array radius = hypot(x, y);
    const Array is_ring = (radius > 0.55) & (radius < 0.75);
    const Array is_disc = hypot(x - 0.15, y + 0.1) < 0.22;
    return where(is_ring | is_disc, 1, 0).astype(float32);
}

// Black, red, yellow, white: each channel rises from 0 to 1 in its own part of the range.
Array to_colours(const Array& u) {
    const Array starts = array({0.0, 0.33, 0.67}, float32);
    return (255 * clip((u[{all, all, newaxis}] - starts) * 3, 0, 1)).astype(uint8);
}

void cool_a_plate(const std::string& folder) {
    const Array u = hot_plate(192);
    const Array next = u.copy();
    const BoundLaunch forth = plate_step(u, next);
    const BoundLaunch back = plate_step(next, u);

    std::vector<Array> pictures = {to_colours(u)};
    for (const int steps : {40, 200, 800}) {  // after each of these the plate is drawn
        for (int k = 0; k < steps; k += 2) {
            forth();
            back();
        }
        fmt::print("{} steps later: the mean is {:.3f}\n", steps, mean(u).as<float>());
        pictures.push_back(to_colours(u));
    }
    write_picture(folder + "/heat.png", concatenate(pictures, 1));
}

}  // namespace

int main(int argc, char** argv) {
    return run_program("FOLDER", argc, argv, [](const auto& arguments) {
        cool_a_rod();
        cool_a_plate(arguments[0]);
    });
}

// Output:
// t = 0.00: the middle is at 1.000, exactly 1.000
// t = 0.05: the middle is at 0.610, exactly 0.610
// t = 0.10: the middle is at 0.373, exactly 0.373
// 40 steps later: the mean is 0.240
// 200 steps later: the mean is 0.240
// 800 steps later: the mean is 0.220
// wrote <folder>/heat.png
