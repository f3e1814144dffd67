// SPDX-License-Identifier: MIT
//
// Broadcasting with expressions: tables of all pairs, distance matrices, and pictures, in which a column of
// numbers meets a row of numbers at each pixel. The large arrays in between are never stored.
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "picture.hpp"

using namespace kgen;
using namespace kgen::indexing;

namespace {

void print_tables() {
    // (3, 1) with (4,): each number of the column meets each number of the row.
    const Array column = array({10, 20, 30}).reshape(-1, 1);
    const Array row = arange(4);
    fmt::print("{}\n{}\n", column + row, column * row);

    // (5, 1, 2) with (5, 2): the differences of all pairs of points, which the reduction reads at once.
    const Array points = array({{0, 0}, {3, 4}, {0, 8}, {6, 8}, {-5, 12}}, float64);
    const Array distances = sqrt(sum(square(points[{all, newaxis}] - points), axis(2)));
    fmt::print("{}\n", to_text(distances, {.precision = 2}));

    // The nearest other point: a point's distance to itself must not count.
    const Array others = where(eye(5, bool_), INFINITY, distances);
    fmt::print("nearest {} at {}\n", argmin(others, axis(1)), min(others, axis(1)));
}

// Turns numbers between 0 and 1 into bytes.
Array to_bytes(const Array& colours) {
    return rint(255 * clip(colours, 0, 1)).astype(uint8);
}

void draw_pictures(const std::string& folder) {
    constexpr std::int64_t height = 224;
    constexpr std::int64_t width = 336;
    // Shapes (height, 1, 1) and (width, 1): together with (3,) they make a picture (height, width, 3).
    const Array y = linspace(-1, 1, height, float32).reshape(height, 1, 1);
    const Array x = linspace(-1.5, 1.5, width, float32).reshape(width, 1);

    // The angle of a pixel chooses the hue and its radius the strength. Each channel is the same wave, a
    // third of a turn later.
    const Array turns = array({0, 2.0944, 4.1888}, float32);
    const Array hue = 0.5 + 0.5 * cos(arctan2(y, x) - turns);
    write_picture(folder + "/gradient.png", to_bytes(1 - (1 - hue) * minimum(hypot(y, x), 1)));

    // Waves from three points. Here the last axis has the distances of a pixel to the points.
    const Array centre_y = array({0.5, -0.6, 0.4}, float32);
    const Array centre_x = array({-0.9, 0.1, 0.8}, float32);
    const Array distance = hypot(y - centre_y, x - centre_x);
    const Array wave = mean(cos(40 * distance) * exp(-distance), axis(2), keepdims);

    // (height, width, 1) with (3,): each pixel is a mixture of two colours.
    const Array deep = array({0.02, 0.10, 0.30}, float32);
    const Array bright = array({0.75, 0.95, 1.00}, float32);
    write_picture(folder + "/waves.png", to_bytes(deep + (bright - deep) * (0.4 + 1.2 * wave)));
}

}  // namespace

int main(int argc, char** argv) {
    return run_program("FOLDER", argc, argv, [](const auto& arguments) {
        print_tables();
        draw_pictures(arguments[0]);
    });
}

// Output:
// [[10 11 12 13]
//  [20 21 22 23]
//  [30 31 32 33]]
// [[ 0 10 20 30]
//  [ 0 20 40 60]
//  [ 0 30 60 90]]
// [[ 0.    5.    8.   10.   13.  ]
//  [ 5.    0.    5.    5.   11.31]
//  [ 8.    5.    0.    6.    6.4 ]
//  [10.    5.    6.    0.   11.7 ]
//  [13.   11.31  6.4  11.7   0.  ]]
// nearest [1 0 1 1 2] at [5.         5.         5.         5.         6.40312424]
// wrote <folder>/gradient.png
// wrote <folder>/waves.png
