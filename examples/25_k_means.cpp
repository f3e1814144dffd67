// SPDX-License-Identifier: MIT
//
// k-means: divides points into K clusters. Each step assigns every point to its nearest centre, then moves
// each centre to the mean of its points. Both are a few lines of broadcasting and reductions.
#include <fmt/format.h>

#include <random>
#include <string>
#include <vector>

#include "picture.hpp"

using namespace kgen;
using namespace kgen::indexing;

namespace {

// Points around five places. kgen has no random numbers, so the standard library's are copied.
Array make_points(std::int64_t count) {
    const float places[5][2] = {{20, 25}, {70, 18}, {112, 40}, {45, 66}, {95, 72}};
    std::mt19937 random(1);
    std::vector<float> numbers;
    for (std::int64_t k = 0; k < 2 * count; ++k) {
        // The sum of four uniform numbers is nearly normal.
        double sum = 0;
        for (int j = 0; j < 4; ++j) sum += static_cast<double>(random()) / 4294967296.0 - 0.5;
        numbers.push_back(places[k / 2 % 5][k % 2] + static_cast<float>(13 * sum));
    }
    // Points outside of the picture move to its border.
    return clip(array(numbers).reshape(count, 2), 1, array({126, 94}, float32));
}

// (N, 1, 2) with (K, 2): the squared distances of N points to K centres, and the nearest of them. The
// (N, K, 2) differences are never stored.
Array nearest(const Array& points, const Array& centres) {
    return argmin(sum(square(points[{all, newaxis}] - centres), axis(2)), axis(1));
}

// The mean of each cluster's points. belongs[n, k] is true if point n is in cluster k.
Array means(const Array& points, const Array& labels, std::int64_t clusters) {
    const Array belongs = labels[{all, newaxis}] == arange(clusters);
    const Array sums = sum(where(belongs[{all, all, newaxis}], points[{all, newaxis}], 0), axis(0));
    const Array counts = maximum(sum(belongs, axis(0)), 1);
    return (sums / counts[{all, newaxis}]).astype(float32);
}

void draw(const std::string& path, const Array& points, const Array& centres) {
    constexpr std::int64_t scale = 3;  // pixels per unit
    constexpr std::int64_t height = 96 * scale;
    constexpr std::int64_t width = 128 * scale;
    const Array colours = array(
        {{230, 120, 90}, {240, 190, 80}, {120, 180, 100}, {90, 150, 210}, {170, 120, 190}}, uint8);
    // Each pixel is a point, too. Its colour is that of its nearest centre, lightened.
    const auto [y, x] = mgrid(s(0, height), s(0, width));
    const Array pixels = (stack({ravel(x), ravel(y)}, 1) / (1.0 * scale)).astype(float32);
    const Array picture = take(colours, nearest(pixels, centres), axis(0));
    picture.assign(picture / 3 + 170);

    // The numbers of the pixels at the points, counted along the rows. Indexing with them writes many
    // pixels at once: a square for each point, a cross for each centre.
    const auto pixels_at = [&](const Array& some) {
        const Array at = rint(some * scale).astype(int64);
        return Array(at[{all, 1}] * width + at[{all, 0}]);
    };
    const Array squares = pixels_at(points);
    const Array colour = take(colours, nearest(points, centres), axis(0));
    for (const std::int64_t offset : {std::int64_t{0}, std::int64_t{1}, width, width + 1})
        picture[squares + offset] = colour;
    const Array crosses = pixels_at(centres);
    for (std::int64_t offset = -6; offset <= 6; ++offset) {
        picture[crosses + offset] = 0;
        picture[crosses + offset * width] = 0;
    }
    write_picture(path, picture.reshape(height, width, 3));
}

void run(const std::string& folder) {
    const Array points = make_points(2000);
    // The first guess: five centres on a line.
    Array centres = stack({linspace(10, 118, 5, float32), full({5}, 48, float32)}, 1);
    for (int step = 0; step < 20; ++step) {
        const Array labels = nearest(points, centres);
        const Array moved = means(points, labels, 5);
        const double distance = sqrt(max(sum(square(moved - centres), axis(1)))).as<double>();
        fmt::print("step {}: the centres move by {:.2f}\n", step, distance);
        centres = moved;
        if (distance < 0.01) break;
    }
    fmt::print("{}\n", to_text(centres, {.precision = 1}));
    draw(folder + "/clusters.png", points, centres);
}

}  // namespace

int main(int argc, char** argv) {
    return run_program("FOLDER", argc, argv, [](const auto& arguments) { run(arguments[0]); });
}

// Output:
// step 0: the centres move by 23.76
// step 1: the centres move by 14.10
// step 2: the centres move by 0.85
// step 3: the centres move by 0.09
// step 4: the centres move by 0.07
// step 5: the centres move by 0.00
// [[ 20.4  24.8]
//  [ 44.4  66.4]
//  [ 69.8  18.5]
//  [ 94.8  72.5]
//  [111.7  39.6]]
// wrote <folder>/clusters.png
