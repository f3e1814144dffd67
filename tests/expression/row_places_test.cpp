// SPDX-License-Identifier: MIT
//
// argmin and argmax in row kernels. The references are loops over the elements of a row, with NumPy's rules: of equal elements
// the first, and the first NaN if there is one.
#include <cmath>
#include <kgen/kgen.hpp>
#include <random>
#include <vector>

#include "dtype/strides.hpp"
#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/rounds.hpp"

using namespace kgen;
using kgen::test::present_devices;

namespace {

// The place of the least or largest element along an axis of an array in C order.
std::vector<std::int64_t> places(const std::vector<float>& values,
                                 const Dims& shape,
                                 int axis,
                                 bool largest) {
    std::int64_t inner = 1;
    for (int k = axis + 1; k < shape.rank(); ++k) inner *= shape[k];
    std::vector<std::int64_t> found;
    for (std::int64_t first = 0; first < extent_product(shape); ++first) {
        if (first / inner % shape[axis] != 0) continue;
        std::int64_t best = 0;
        for (std::int64_t k = 0; k < shape[axis]; ++k) {
            const float value = values[static_cast<std::size_t>(first + k * inner)];
            const float before = values[static_cast<std::size_t>(first + best * inner)];
            if (std::isnan(before)) break;
            if (std::isnan(value) || (largest ? value > before : value < before)) best = k;
        }
        found.push_back(best);
    }
    return found;
}

}  // namespace

TEST_CASE("argmin and argmax join row kernels", "[rows]") {
    std::mt19937_64 random(std::random_device{}());
    for (const Device device : present_devices()) {
        for (int trial = 0; trial < rounds(12); ++trial) {
            Dims shape;
            for (int k = 0; k < 1 + trial % 3; ++k)
                shape.push_back(1 + static_cast<std::int64_t>(random() % 30));
            const int along = static_cast<int>(random() % static_cast<unsigned>(shape.rank()));
            shape[along] = 1 + static_cast<std::int64_t>(random() % 900);
            std::vector<float> values;
            for (std::int64_t k = 0; k < extent_product(shape); ++k) {
                const auto number = static_cast<int>(random() % 23);
                const bool is_nan = trial % 4 == 0 && random() % 200 == 0;
                values.push_back(is_nan ? NAN : static_cast<float>(number));
            }
            Array x = from_host(values.data(), float32, shape, {.device = device});
            if (trial % 2 == 1) x = x.transpose().copy().transpose();
            INFO(to_text(device) << ", " << to_text(shape) << " along " << along << ", trial "
                                 << trial);
            const std::vector<std::int64_t> least = places(values, shape, along, false);
            const std::vector<std::int64_t> most = places(values, shape, along, true);
            const auto [low, high, sums] =
                compute(argmin(x, axis(along)), argmax(x, axis(along)), max(x, axis(along)));
            CHECK(low.to_vector<std::int64_t>() == least);
            CHECK(high.to_vector<std::int64_t>() == most);
            const Array gap = argmax(x, axis(along)) - argmin(x, axis(along));
            std::vector<std::int64_t> expected;
            for (std::size_t k = 0; k < most.size(); ++k) expected.push_back(most[k] - least[k]);
            CHECK(gap.to_vector<std::int64_t>() == expected);
        }
    }
}

TEST_CASE("the places of extremes along several axes join row kernels", "[rows]") {
    for (const Device device : present_devices()) {
        const Array x = arange(24, float32, {.device = device}).reshape({2, 3, 4}).transpose();
        const auto spread = [&] { return explain(argmax(x) - argmin(x)); };
        CHECK(spread().size() == 1);
        const Array found = argmax(x) - argmin(x);
        CHECK(found.item<std::int64_t>() == 23);
        const Array row = ones({30, 70}, float32, {.device = device});
        CHECK(explain(row - astype(argmax(row, axis(1), keepdims), float32)).size() == 1);
        CHECK(explain(softmax(row) * astype(argmin(row, axis(1), keepdims), float32)).size() == 1);
    }
}
