// SPDX-License-Identifier: MIT
//
// A picture is an array of shape (height, width, 3) and dtype uint8. Two kernels change it: one treats each channel with its
// own number, one looks at the neighbours of each pixel.
#include <fmt/format.h>
#include <stb/stb_image.h>
#include <stb/stb_image_write.h>

#include <kgen/kgen.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

using namespace kgen;

namespace {

Array read_picture(const std::string& path) {
    int width = 0;
    int height = 0;
    int channels = 0;
    const std::unique_ptr<stbi_uc, void (*)(void*)> pixels(
        stbi_load(path.c_str(), &width, &height, &channels, 3), stbi_image_free);
    if (!pixels) throw std::runtime_error(fmt::format("{}: {}", path, stbi_failure_reason()));
    return from_host(pixels.get(), uint8, {height, width, 3});
}

void write_picture(const std::string& path, const Array& picture) {
    const auto pixels = picture.to_vector<std::uint8_t>();
    const int height = static_cast<int>(picture.shape()[0]);
    const int width = static_cast<int>(picture.shape()[1]);
    if (stbi_write_png(path.c_str(), width, height, 3, pixels.data(), width * 3) == 0) {
        throw std::runtime_error(path + ": cannot be written");
    }
    fmt::print("wrote {}\n", path);
}

// (H, W, 3) with (3,): the gains broadcast along the channels. Rounded and clamped to 0..255.
const ElementwiseKernel tint("uint8 pixel, float32 gain",
                             "uint8 tinted",
                             "tinted = min(max(pixel * gain + 0.5f, 0.0f), 255.0f)",
                             "tint");

// The mean of a pixel and its eight neighbours. `raw` hands over the whole array, _ind.get() says which
// element of the output is computed: (row, column, channel). Beyond the border the last pixel counts again.
const ElementwiseKernel blur("raw uint8 picture",
                             "uint8 blurred",
                             R"(
    const ptrdiff_t* at = _ind.get();
    int sum = 0;
    for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
            const ptrdiff_t row = min(max(at[0] + dy, ptrdiff_t(0)), picture.shape()[0] - 1);
            const ptrdiff_t column = min(max(at[1] + dx, ptrdiff_t(0)), picture.shape()[1] - 1);
            const ptrdiff_t neighbour[3] = {row, column, at[2]};
            sum += picture[neighbour];
        }
    }
    blurred = (sum + 4) / 9;)",
                             "blur");

void process(const std::string& photograph, const std::string& folder) {
    const Array picture = read_picture(photograph);
    fmt::print("{}: {} {}\n", photograph, to_text(picture.shape()), to_text(picture.dtype()));

    const Array evening = from_vector<float>({1.15f, 0.95f, 0.65f});  // more red, less blue
    write_picture(folder + "/tinted.png", tint(picture, evening));

    Array blurred = picture;
    for (int round = 0; round < 6; ++round) {
        Array next = empty(picture.shape(), uint8);
        blur(blurred, out(next));  // a raw parameter has no say in the shape: the output gives it
        blurred = std::move(next);
    }
    write_picture(folder + "/blurred.png", blurred);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        fmt::print(stderr, "usage: {} PHOTOGRAPH FOLDER\n", argv[0]);
        return 2;
    }
    try {
        process(argv[1], argv[2]);
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
}

// Output:
// data/astronaut.jpg: (384, 320, 3) uint8
// wrote <folder>/tinted.png
// wrote <folder>/blurred.png
