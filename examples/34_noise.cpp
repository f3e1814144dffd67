// SPDX-License-Identifier: MIT
//
// Pictures of noise. Clouds are a sum of random grids, each finer and weaker than the one before. A kernel needs no memory
// for the grids: the number of a grid's corner is a function of its index.
#include <fmt/format.h>

#include <string>

#include "picture.hpp"

using namespace kgen;

namespace {

constexpr std::int64_t height = 224;
constexpr std::int64_t width = 336;

// The value at a point between four corners, whose random numbers blend smoothly.
const ElementwiseKernel clouds("T x, T y, uint64 seed",
                               "T z",
                               R"(
    z = 0;
    for (int octave = 0; octave < 7; ++octave) {
        const T u = x * (3 << octave), v = y * (3 << octave);
        const long long column = (long long)floor(u), row = (long long)floor(v);
        z += corner_blend(seed, column, row, octave, u - column, v - row) / (2 << octave);
    })",
                               "clouds",
                               {.preamble = R"(
template <class T> __device__ T smooth(T t) { return t * t * (3 - 2 * t); }
template <class T>
__device__ T corner_blend(unsigned long long seed, long long column, long long row, int octave, T s, T t) {
    const auto corner = [&](long long dx, long long dy) {
        return random_uniform<T>(seed, (row + dy) * 1000 + column + dx, octave);
    };
    const T low = corner(0, 0) + smooth(s) * (corner(1, 0) - corner(0, 0));
    const T high = corner(0, 1) + smooth(s) * (corner(1, 1) - corner(0, 1));
    return low + smooth(t) * (high - low);
})"});

Array to_bytes(const Array& colours) {
    return rint(255 * clip(colours, 0, 1)).astype(uint8);
}

void draw_pictures(const std::string& folder) {
    // Clouds: blue where the noise is weak, white where it is strong.
    const Array y = linspace(0, 1, height, float32).reshape(height, 1);
    const Array x = linspace(0, 1.5, width, float32);
    const Array density = clip((clouds(x, y, 42) - 0.42) * 4, 0, 1).reshape({height, width, 1});
    const Array sky = array({0.25, 0.5, 0.85}, float32);
    write_picture(folder + "/clouds.png", to_bytes(sky + (1 - sky) * density));

    // Stars: one pixel of 300 shines, and each has a brightness of its own. Two generators are independent of each other.
    const Generator rng(3);
    Generator places = rng.fork(0), lights = rng.fork(1);
    const Array stars = where(places.bernoulli(1.0 / 300, {height, width}),
                              lights.uniform(0.3, 1, {height, width}, float32),
                              0.05);
    write_picture(folder + "/stars.png", to_bytes(stars));
    fmt::print("{} stars\n", count_nonzero(stars > 0.1));
}

}  // namespace

int main(int argc, char** argv) {
    return run_program(
        "FOLDER", argc, argv, [](const auto& arguments) { draw_pictures(arguments[0]); });
}

// Output:
// wrote <folder>/clouds.png
// wrote <folder>/stars.png
// 267 stars
