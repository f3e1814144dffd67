// SPDX-License-Identifier: MIT
//
// The Mandelbrot set: complex arithmetic, and a body that computes the complex number of its pixel from the
// index `i`. No array is read.
#include <fmt/format.h>

#include <complex>
#include <string>

#include "picture.hpp"

using namespace kgen;

namespace {

// Counts how often z * z + c stays within a circle of radius 2. i counts along the rows of the picture. Its
// first pixel is `corner`, and its pixels are `step` apart.
const ElementwiseKernel escape("complex128 corner, complex128 step, int32 width, int32 most",
                               "int32 steps",
                               R"(
    const complex<double> c(corner.real() + step.real() * (i % width), corner.imag() + step.imag() * (i / width));
    complex<double> z = 0;
    int count = 0;
    while (count < most && norm(z) <= 4) {
        z = z * z + c;
        ++count;
    }
    steps = count;)",
                               "escape");

// (H, W, 1) with (3,): each channel is a wave over the number of steps, with its own phase. Points that never
// escape are black.
const ElementwiseKernel colour(
    "int32 steps, float32 phase, int32 most",
    "uint8 channel",
    "channel = steps == most ? 0 : 127.5f - 127.5f * cos(0.15f * steps + phase)",
    "colour");

using Complex = std::complex<double>;

// There is no input array, so the output gives the number of elements.
Array steps_of(Complex centre, Complex step, std::int64_t height, std::int64_t width, int most) {
    const Complex half(static_cast<double>(width) / 2 * step.real(),
                       static_cast<double>(height) / 2 * step.imag());
    Array steps = empty({height, width}, int32);
    escape(centre - half, step, width, most, out(steps));
    return steps;
}

void draw(const std::string& folder) {
    // The whole set in letters. The steps differ, because a letter is twice as high as wide.
    const std::string letters = ".-:;=+*#%@";
    const auto steps = steps_of({-0.6, 0}, {0.05, -0.1}, 23, 64, 27).to_vector<std::int32_t>();
    for (std::size_t k = 0; k < steps.size(); ++k) {
        fmt::print(
            "{}{}", letters[static_cast<std::size_t>(steps[k] / 3)], k % 64 == 63 ? "\n" : "");
    }

    constexpr int most = 500;
    const Array near = steps_of({-0.7436, 0.1318}, {0.00003, -0.00003}, 256, 384, most);
    const Array phases = from_vector<float>({0, 0.6F, 1.4F});
    write_picture(folder + "/mandelbrot.png", colour(near.reshape({256, 384, 1}), phases, most));
}

}  // namespace

int main(int argc, char** argv) {
    return run_program("FOLDER", argc, argv, [](const auto& arguments) { draw(arguments[0]); });
}

// Output:
// ...................-------------------------------..............
// ................-----------------------::=::---------...........
// .............--------------------------::;#;::----------........
// ...........--------------------------:;@+#@*+:------------......
// ..........-----------------------:::::;#@@@@@::::----------.....
// ........----------------------::=@=;@*@@@@@@#@=@:::+:--------...
// .......---------------------::::;@@@@@@@@@@@@@@@@@@%;---------..
// ......-------------:::---:::::#@%@@@@@@@@@@@@@@@@@@=::---------.
// ......-----------::+;;:=;::::;@@@@@@@@@@@@@@@@@@@@@@@*---------.
// .....------------::;+@%@@@%=;=@@@@@@@@@@@@@@@@@@@@@@=:----------
// .....---------::+;;*@@@@@@@@@#@@@@@@@@@@@@@@@@@@@@@@@:----------
// .....--::::::::;=@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@;::----------
// .....--::::::::;=@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@;::----------
// .....---------::+;;*@@@@@@@@@#@@@@@@@@@@@@@@@@@@@@@@@:----------
// .....------------::;+@%@@@%=;=@@@@@@@@@@@@@@@@@@@@@@=:----------
// ......-----------::+;;:=;::::;@@@@@@@@@@@@@@@@@@@@@@@*---------.
// ......-------------:::---:::::#@%@@@@@@@@@@@@@@@@@@=::---------.
// .......---------------------::::;@@@@@@@@@@@@@@@@@@%;---------..
// ........----------------------::=@=;@*@@@@@@#@=@:::+:--------...
// ..........-----------------------:::::;#@@@@@::::----------.....
// ...........--------------------------:;@+#@*+:------------......
// .............--------------------------::;#;::----------........
// ................-----------------------::=::---------...........
// wrote <folder>/mandelbrot.png
