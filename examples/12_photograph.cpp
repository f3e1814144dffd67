// SPDX-License-Identifier: MIT
//
// A picture is an array of shape (height, width, 3) and dtype uint8. Four kernels process it: one multiplies
// each channel by its own number, one folds the channels to grey, and two are convolutions, which read the
// neighbours of each pixel.
#include <fmt/format.h>

#include <string>

#include "picture.hpp"

using namespace kgen;

namespace {

// (H, W, 3) with (3,): each channel has its gain. The result is rounded and clamped to 0..255.
const ElementwiseKernel tint("uint8 pixel, float32 gain",
                             "uint8 tinted",
                             "tinted = min(max(pixel * gain + 0.5f, 0.0f), 255.0f)",
                             "tint");

const ReductionKernel grey_of("uint8 pixel, int32 weight",
                              "uint8 grey",
                              "pixel * weight",
                              "a + b",
                              "grey = (a + 500) / 1000",
                              "0",
                              "grey_of",
                              {.reduce_type = "int"});

// The mean of the pixels in a box. `raw` passes the whole array. _ind.get() has the row, column and channel
// of the output element that is computed. Beyond the border the last pixel is repeated.
const ElementwiseKernel box_blur("raw uint8 picture, int32 radius",
                                 "uint8 blurred",
                                 R"(
    const ptrdiff_t* at = _ind.get();
    int sum = 0;
    for (int dy = -radius; dy <= radius; ++dy) {
        for (int dx = -radius; dx <= radius; ++dx) {
            const ptrdiff_t row = min(max(at[0] + dy, ptrdiff_t(0)), picture.shape()[0] - 1);
            const ptrdiff_t column = min(max(at[1] + dx, ptrdiff_t(0)), picture.shape()[1] - 1);
            const ptrdiff_t neighbour[3] = {row, column, at[2]};
            sum += picture[neighbour];
        }
    }
    const int count = (2 * radius + 1) * (2 * radius + 1);
    blurred = (sum + count / 2) / count;)",
                                 "box_blur");

// Sobel's two 3 x 3 masks measure how fast the picture changes along the rows and along the columns.
const ElementwiseKernel sobel("raw uint8 grey",
                              "uint8 edge",
                              R"(
    const int masks[3][3] = {{-1, -2, -1}, {0, 0, 0}, {1, 2, 1}};
    const ptrdiff_t* at = _ind.get();
    int along_rows = 0, along_columns = 0;
    for (int dy = 0; dy < 3; ++dy) {
        for (int dx = 0; dx < 3; ++dx) {
            const ptrdiff_t row = min(max(at[0] + dy - 1, ptrdiff_t(0)), grey.shape()[0] - 1);
            const ptrdiff_t column = min(max(at[1] + dx - 1, ptrdiff_t(0)), grey.shape()[1] - 1);
            const ptrdiff_t neighbour[2] = {row, column};
            along_rows += masks[dx][dy] * grey[neighbour];
            along_columns += masks[dy][dx] * grey[neighbour];
        }
    }
    edge = min(sqrt(float(along_rows * along_rows + along_columns * along_columns)), 255.0f);)",
                              "sobel");

void process(const std::string& photograph, const std::string& folder) {
    const Array picture = read_picture(photograph);
    fmt::print("{}: {} {}\n", photograph, to_text(picture.shape()), to_text(picture.dtype()));

    const Array evening = from_vector<float>({1.15f, 0.95f, 0.65f});  // more red, less blue
    write_picture(folder + "/tinted.png", tint(picture, evening));

    const Array blurred = empty(picture.shape(), uint8);
    box_blur(picture, 4, out(blurred));  // the output gives the shape, not the raw parameter
    write_picture(folder + "/blurred.png", blurred);

    const Array grey = grey_of(picture, from_vector<std::int32_t>({299, 587, 114}), axis(2));
    const Array edges = empty(grey.shape(), uint8);
    sobel(grey, out(edges));
    write_picture(folder + "/edges.png", edges);
}

}  // namespace

int main(int argc, char** argv) {
    return run_program("PHOTOGRAPH FOLDER", argc, argv, [](const auto& arguments) {
        process(arguments[0], arguments[1]);
    });
}

// Output:
// data/astronaut.jpg: (384, 320, 3) uint8
// wrote <folder>/tinted.png
// wrote <folder>/blurred.png
// wrote <folder>/edges.png
