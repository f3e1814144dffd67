// SPDX-License-Identifier: MIT
//
// Least squares by gradient descent: finds the polynomial that fits measured points best. The model, its
// error and the gradient are sums along an axis.
#include <fmt/format.h>

#include <kgen/kgen.hpp>
#include <string>

using namespace kgen;
using namespace kgen::indexing;

namespace {

// Draws the points as o and the curve as *, in a grid of characters.
void plot(const Array& points, const Array& curve) {
    constexpr int height = 13;
    constexpr int width = 61;
    const Array row_of_point = rint((1 - points) * 6).astype(int64);
    const Array row_of_curve = rint((1 - curve) * 6).astype(int64);
    Array canvas = full({height, width}, ' ', uint8);
    const Array rows = arange(height).reshape(height, 1);
    canvas[rows == row_of_point] = 'o';
    canvas[rows == row_of_curve] = '*';
    const auto text = canvas.to_vector<std::uint8_t>();
    for (int k = 0; k < height * width; k += width)
        fmt::print("|{}|\n", std::string(text.begin() + k, text.begin() + k + width));
}

}  // namespace

int main() {
    // The measurements: 0.3 - 1.5 x - 0.6 x^2 + 2 x^3, and an error that looks random.
    const Array x = linspace(-1, 1, 61);
    const Array y = 0.3 - 1.5 * x - 0.6 * square(x) + 2 * power(x, 3) + 0.2 * sin(777 * exp(x));

    // The columns of the matrix are the powers of x: 1, x, x^2, x^3. The model is a sum of the columns,
    // each multiplied by its weight.
    const Array powers = power(x[{all, newaxis}], arange(4));
    const auto model = [&](const Array& weights) { return sum(powers * weights, axis(1)); };

    Array weights = zeros({4});
    for (int step = 0; step <= 1000; ++step) {
        const Array error = model(weights) - y;
        if (step == 0 || step == 10 || step == 100 || step == 1000) {
            fmt::print("step {:4}: mean squared error {:.4f}, weights {}\n",
                       step,
                       mean(error * error).as<double>(),
                       to_text(weights, {.precision = 2}));
        }
        // The derivative of the mean squared error by each weight.
        const Array gradient = 2 * mean(error[{all, newaxis}] * powers, axis(0));
        weights -= 0.5 * gradient;
    }
    plot(y, model(weights));
}

// Output:
// step    0: mean squared error 0.1669, weights [0. 0. 0. 0.]
// step   10: mean squared error 0.1001, weights [ 0.18 -0.33 -0.27  0.28]
// step  100: mean squared error 0.0200, weights [ 0.26 -1.25 -0.48  1.7 ]
// step 1000: mean squared error 0.0169, weights [ 0.26 -1.47 -0.48  2.04]
// |                                                             |
// |             o   o      o                                    |
// |              ********    o                                  |
// |         o****o   oooo*****                                  |
// |       o** oo            o **** o o                         *|
// |       *                    ooo*** o o                   o** |
// |     **                          o*** o               o **o  |
// |   o*o                               *****o o   o    ***     |
// |   *                                    o ***********  o     |
// | o*                                        o ooo oo          |
// | *o                                                          |
// |*                                                            |
// |                                                             |
