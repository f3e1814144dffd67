// SPDX-License-Identifier: MIT
//
// The Mandelbrot set by operations on whole arrays, as a NumPy program computes it: z = z * z + c for all
// pixels at once, as long as |z| stays small. 11_mandelbrot has a kernel body with a loop instead.
//
// What each costs: there, one kernel does all steps of a pixel in registers. Here, each step is one kernel
// for all pixels, which reads and writes z and the number of steps. That is 300 launches and 300 passes
// over memory for 300 steps, and needs no C++ in strings. In NumPy a step would be six passes.
#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <string>

#include "picture.hpp"

using namespace kgen;
using namespace kgen::indexing;

namespace {

struct Orbits {
    Array z;      // the last number of each pixel's sequence
    Array steps;  // how many of the numbers lie within the radius
};

// Beyond |z| = 2 a sequence escapes for certain. A larger radius makes the colours smoother.
constexpr double radius = 8;

// The numbers c of the pixels of a rectangle: a row of real parts, a column of imaginary parts.
Array plane(
    double left, double right, std::int64_t width, double low, double high, std::int64_t height) {
    const std::complex<double> i(0, 1);
    return linspace(left, right, width) + i * linspace(high, low, height).reshape(height, 1);
}

Orbits iterate(const Array& c, int most) {
    const Array z = zeros_like(c);
    const Array steps = zeros_like(c, {.dtype = int32});
    // Both results of a step come from one kernel, which is prepared once.
    const BoundLaunch step =
        bind(where(abs(z) < radius, z * z + c, z), steps + (abs(z) < radius), out(z), out(steps));
    for (int k = 0; k < most; ++k) step();
    return {z, steps};
}

void draw(const std::string& folder) {
    // The lower half is the mirror image of the upper half.
    const Array few = iterate(plane(-2.2, 0.8, 61, 0, 1.2, 13), 20).steps;
    const auto steps = few.to_vector<std::int32_t>();
    for (std::size_t k = 0; k < steps.size(); ++k)
        fmt::print("{}{}", "   .:-=+*%@@@@@@@@@@@"[steps[k]], k % 61 == 60 ? "\n" : "");
    fmt::print("{} of {} points stay\n", count_nonzero(few == 20), few.size());

    constexpr int most = 300;
    const auto [z, count] = iterate(plane(-2.05, 0.6, 384, -0.92, 0.92, 256), most);

    // A number of steps with a fraction, from how far the last z went. The colours are waves over its
    // logarithm, and pixels that never escape are black.
    const Array smooth = log2(count + 1.5 - log2(log2(abs(z)) / std::log2(radius)));
    const Array phases = array({0.0, 0.7, 1.5});
    const Array colours = 0.5 - 0.5 * cos(1.6 * smooth[{all, all, newaxis}] + phases);
    const Array escaped = count < most;
    write_picture(folder + "/mandelbrot_by_arrays.png",
                  where(escaped[{all, all, newaxis}], 255 * colours, 0).astype(uint8));
}

}  // namespace

int main(int argc, char** argv) {
    return run_program("FOLDER", argc, argv, [](const auto& arguments) { draw(arguments[0]); });
}

// Output:
// ...............:::::::::::::::::::-------------::::::::::::..
// ............:::::::::::::::::::-------=+@%+==-----:::::::::::
// .........::::::::::::::::::--------===++%@@@@+=-----:::::::::
// .......::::::::::::::::---------=====+*%@@@@%*+==-----:::::::
// .....::::::::::::::----------====+++**@@@@@@@@*++===----:::::
// ...:::::::::::::----------====+*%@@%@@@@@@@@@@@%***@+=---::::
// .::::::::::::--------=======++*%@@@@@@@@@@@@@@@@@@@@@+=---:::
// :::::::::::------======+++++**@@@@@@@@@@@@@@@@@@@@@@%+==---::
// :::::::::------==+*@%**%%***%@@@@@@@@@@@@@@@@@@@@@@@@@+=---::
// ::::::------====++%@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@%+=----:
// ::::-----=====++*%@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@%+=----:
// :::---==+++++**@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@+==----:
// :::-@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@*+==----:
// 202 of 793 points stay
// wrote <folder>/mandelbrot_by_arrays.png
