// SPDX-License-Identifier: MIT
//
// Masks: arrays of bool, which comparisons return. They choose between two arrays, select the elements that
// are overwritten, and are counted. A photograph becomes a poster by them.
#include <fmt/format.h>

#include <string>

#include "picture.hpp"

using namespace kgen;
using namespace kgen::indexing;

namespace {

void show_masks() {
    Array x = array({{3, -1, 4}, {-1, 5, -9}, {2, 6, -5}}, float32);

    // Conditions are combined by &, | and !.
    fmt::print("{}\n", (x > 0) & (x < 5));
    fmt::print("negative: {} of {}, in each row {}, in all rows {}\n",
               count_nonzero(x < 0),
               x.size(),
               sum(x < 0, axis(1)),
               all(any(x < 0, axis(1))));

    // where() chooses element by element. The mean of the positive numbers needs no list of them.
    fmt::print("{}\n", where(x < 0, 0, sqrt(x)));
    fmt::print("mean of the positive numbers: {}\n",
               sum(where(x > 0, x, 0)) / count_nonzero(x > 0));

    // Elements that a mask selects are overwritten. The others stay as they are.
    x[x < 0] *= -1;
    x[x > 5] = 5;
    x[array({true, false, false})] = 0;  // a mask of one axis selects rows
    fmt::print("{}\n", x);
}

void draw_posters(const std::string& photograph, const std::string& folder) {
    const Array picture = read_picture(photograph);  // (height, width, 3), uint8
    const Array grey = mean(picture, axis(2)).astype(float32);
    fmt::print("bright: {:.1f} % of the pixels\n", mean(grey > 128).compute().as<double>() * 100);

    // Threshold: black and white.
    write_picture(folder + "/threshold.png", where(grey > 110, 255, 0).astype(uint8));

    // Posterise: four levels of each channel. // of Python is floor_divide.
    write_picture(folder + "/posterised.png", floor_divide(picture, 64) * 64 + 32);

    // A poster of four colours. A mask of shape (height, width, 1) chooses between colours of shape (3,).
    const Array light = grey[{all, all, newaxis}];
    const Array navy = array({0, 48, 80}, uint8);
    const Array red = array({218, 20, 21}, uint8);
    const Array blue = array({112, 150, 158}, uint8);
    const Array cream = array({252, 228, 168}, uint8);
    const Array poster =
        where(light < 60, navy, where(light < 110, red, where(light < 165, blue, cream)));
    write_picture(folder + "/poster.png", poster);
}

}  // namespace

int main(int argc, char** argv) {
    return run_program("PHOTOGRAPH FOLDER", argc, argv, [](const auto& arguments) {
        show_masks();
        draw_posters(arguments[0], arguments[1]);
    });
}

// Output:
// [[ True False  True]
//  [False False False]
//  [ True False False]]
// negative: 4 of 9, in each row [1 2 1], in all rows True
// [[1.7320508 0.        2.       ]
//  [0.        2.236068  0.       ]
//  [1.4142135 2.4494898 0.       ]]
// mean of the positive numbers: 4.0
// [[0. 0. 0.]
//  [1. 5. 5.]
//  [2. 5. 5.]]
// bright: 51.8 % of the pixels
// wrote <folder>/threshold.png
// wrote <folder>/posterised.png
// wrote <folder>/poster.png
