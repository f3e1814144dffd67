// SPDX-License-Identifier: MIT
//
// What reductions compute and return, on every device present.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <kgen/kgen.hpp>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/folded.hpp"
#include "support/placed.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

using List = std::vector<int>;

}  // namespace

TEST_CASE("a reduction folds the axes that are asked for", "[reduction]") {
    const ReductionKernel sum = sum_kernel();
    struct Case {
        std::optional<List> axes;
        Dims shape;
        Dims kept;
    };
    const std::vector<Case> cases = {
        {std::nullopt, {}, {1, 1, 1, 1}},
        {List{0}, {3, 4, 5}, {1, 3, 4, 5}},
        {List{1}, {2, 4, 5}, {2, 1, 4, 5}},
        {List{3}, {2, 3, 4}, {2, 3, 4, 1}},
        {List{-1}, {2, 3, 4}, {2, 3, 4, 1}},
        {List{-4, 2}, {3, 5}, {1, 3, 1, 5}},
        {List{3, 1}, {2, 4}, {2, 1, 4, 1}},
        {List{1, 2}, {2, 5}, {2, 1, 1, 5}},
        {List{0, 1, 2, 3}, {}, {1, 1, 1, 1}},
        {List{}, {2, 3, 4, 5}, {2, 3, 4, 5}},
    };
    const Dims shape = {2, 3, 4, 5};
    const std::vector<std::int32_t> values = mixed<std::int32_t>(120);
    for (const Device device : present_devices()) {
        const Array x = from_vector(values, shape, {device});
        for (const Case& row : cases) {
            INFO(to_text(device) << ", result " << to_text(row.shape));
            const std::vector<std::int32_t> expected =
                folded<std::int32_t>(shape,
                                     meant_axes(row.axes, 4),
                                     0,
                                     [&](std::int32_t total, std::int64_t k, std::int64_t) {
                                         return total + values[static_cast<std::size_t>(k)];
                                     });
            const std::vector<Argument> arguments = {x};
            const Array plain = sum.call(arguments, {.axes = row.axes})[0];
            CHECK(plain.shape() == row.shape);
            CHECK(elements<std::int32_t>(plain) == expected);
            const Array kept = sum.call(arguments, {.axes = row.axes, .keepdims = true})[0];
            CHECK(kept.shape() == row.kept);
            CHECK(elements<std::int32_t>(kept) == expected);
            if (!row.axes) continue;
            CHECK(elements<std::int32_t>(sum(x, axis(*row.axes))) == expected);
            CHECK(sum(x, keepdims, axis(*row.axes)).shape() == row.kept);
        }
        CHECK(sum(x).item<std::int32_t>() == sum(sum(x, axis(0))).item<std::int32_t>());
        CHECK(sum(x, axis({})).shape() == shape);
        CHECK(sum(x, axis({0, -1}), keepdims).shape() == Dims{1, 3, 4, 1});
    }
}

TEST_CASE("a reduction writes the outputs that it is given", "[reduction]") {
    const ReductionKernel sum = sum_kernel();
    for (const Device device : present_devices()) {
        const Array x = from_vector(counted<float>(6), {2, 3}, {device});
        const Array rows = full({2}, 7, float32, {device});
        const Array same = sum(x, axis(1), out(rows));
        CHECK(same.data() == rows.data());
        CHECK(elements<float>(rows) == std::vector<float>{3, 12});
        sum(x, rows, axis(-1));
        CHECK(elements<float>(rows) == std::vector<float>{3, 12});
        // The output is every other element, backwards. The elements between stay unchanged.
        const Placed y = place<float>(device, std::vector<float>(3, 7), {3}, {-8});
        sum(x, axis(0), out(y.array));
        CHECK(y.values<float>() == std::vector<float>{3, 5, 7});
        CHECK(y.is_clean_around());
        const Placed kept = place<float>(device, std::vector<float>(2, 7), {2, 1}, {12, 400});
        sum(x, axis(1), keepdims, out(kept.array));
        CHECK(kept.values<float>() == std::vector<float>{3, 12});
        CHECK(kept.is_clean_around());
        // The call chooses the stream.
        const Stream stream = Stream::create(device);
        synchronize(device);
        sum(x, axis(1), out(rows), on(stream));
        stream.synchronize();
        CHECK(elements<float>(rows) == std::vector<float>{3, 12});
    }
}

TEST_CASE("all outputs of a reduction are returned", "[reduction]") {
    const ReductionKernel moments("T x",
                                  "T mean, U squares",
                                  "pair{x, x * x}",
                                  "(pair{a.p + b.p, a.q + b.q})",
                                  "mean = a.p / (_in_ind.size() / _out_ind.size()); squares = a.q",
                                  "pair{0, 0}",
                                  "moments",
                                  {.reduce_type = "pair", .preamble = "struct pair { T p, q; };"});
    for (const Device device : present_devices()) {
        const Array x = from_vector(counted<float>(8), {2, 4}, {device});
        const Array total = zeros({2}, float64, {device});
        const Array mean = zeros({2}, float32, {device});
        const auto [first, second] = moments.call<2>(x, axis(1), out(mean), out(total));
        CHECK(first.data() == mean.data());
        CHECK(elements<float>(first) == std::vector<float>{1.5, 5.5});
        CHECK(elements<double>(second) == std::vector<double>{14, 126});
        const ReductionKernel same("T x",
                                   "T lo, T hi, int32 count",
                                   "x",
                                   "a + b",
                                   "lo = a - 1; hi = a + 1; count = 3",
                                   "0",
                                   "same");
        const std::vector<Array> all = same.call(std::vector<Argument>{x}, {.axes = List{0}});
        REQUIRE(all.size() == 3);
        CHECK(elements<float>(all[0]) == std::vector<float>{3, 5, 7, 9});
        CHECK(elements<float>(all[1]) == std::vector<float>{5, 7, 9, 11});
        CHECK(elements<std::int32_t>(all[2]) == std::vector<std::int32_t>(4, 3));
    }
}

TEST_CASE("the inputs of a reduction broadcast, and numbers are inputs too", "[reduction]") {
    const ReductionKernel distance("T x, T y, float64 scale",
                                   "T d",
                                   "(x - y) * (x - y) * scale",
                                   "a + b",
                                   "d = a / scale",
                                   "scale - scale",
                                   "distance");
    for (const Device device : present_devices()) {
        const Array x = from_vector(counted<double>(6), {2, 1, 3}, {device});
        const Array y = from_vector(counted<double>(4), {4, 1}, {device});
        const std::vector<double> expected =
            folded<double>({2, 4, 3}, {2}, 0, [](double total, std::int64_t k, std::int64_t) {
                const auto difference = static_cast<double>(k / 12 * 3 + k % 3 - k / 3 % 4);
                return total + difference * difference;
            });
        CHECK(elements<double>(distance(x, y, 2, axis(2))) == expected);
        CHECK(elements<double>(distance(x, y, 4.0, axis(-1), keepdims)) == expected);
        CHECK(distance(x, 1, 1).item<double>() == 1 + 0 + 1 + 4 + 9 + 16);
    }
}

TEST_CASE("without an identity the first element begins", "[reduction]") {
    const ReductionKernel top("T x", "T y", "x", "max(a, b)", "y = a", "", "top");
    const ReductionKernel blank("T x", "T y", "x", "max(a, b)", "y = a", " // none", "top_blank");
    for (const Device device : present_devices()) {
        for (const std::int64_t width : {1, 2, 31, 33, 1000, 70001}) {
            INFO(to_text(device) << ", " << width);
            std::vector<float> values;
            for (std::int64_t k = 0; k < 2 * width; ++k)
                values.push_back(-1000000 + static_cast<float>((k * 7919) % 65537));
            const Array x = from_vector(values, {2, width}, {device});
            const auto larger = [&](float best, std::int64_t k, std::int64_t) {
                return std::max(best, values[static_cast<std::size_t>(k)]);
            };
            const float least = -std::numeric_limits<float>::infinity();
            for (const List& axes : {List{}, List{0}, List{1}, List{0, 1}}) {
                CHECK(elements<float>(top(x, axis(axes))) ==
                      folded<float>({2, width}, axes, least, larger));
            }
            CHECK(elements<float>(blank(x)) == elements<float>(top(x)));
        }
    }
}

TEST_CASE("what has no elements folds to the identity", "[reduction]") {
    const ReductionKernel product("T x", "T y", "x", "a * b", "y = a + i", "1", "product");
    for (const Device device : present_devices()) {
        const Array x = empty({3, 0, 2}, float32, {device});
        CHECK(product(x).item<float>() == 1);
        CHECK(elements<float>(product(x, axis(1))) == std::vector<float>{1, 2, 3, 4, 5, 6});
        CHECK(product(x, axis(0)).shape() == Dims{0, 2});
        CHECK(elements<float>(product(x, axis({0, 1}), keepdims)) == std::vector<float>{1, 2});
        const Array one = full({}, 5, float32, {device});
        CHECK(product(one).item<float>() == 5);
        CHECK(product(one, axis({}), keepdims).shape() == Dims{});
    }
}

TEST_CASE("results do not depend on where memory overlaps", "[reduction]") {
    const ReductionKernel sum = sum_kernel();
    for (const Device device : present_devices()) {
        const std::vector<double> values = mixed<double>(3 * 1000);
        const Array x = from_vector(values, {3, 1000}, {device});
        const std::vector<double> expected = elements<double>(sum(x, axis(0)));
        sum(x, axis(0), out(x[1]));
        CHECK(elements<double>(x[1]) == expected);
        CHECK(elements<double>(x[0]) == std::vector<double>(values.begin(), values.begin() + 1000));
    }
}

TEST_CASE("a new output follows the memory of the kept axes", "[reduction]") {
    const ReductionKernel sum = sum_kernel();
    for (const Device device : present_devices()) {
        const Array x = from_vector(counted<float>(24), {2, 3, 4}, {device}).transpose();
        const Array y = sum(x, axis(1));
        CHECK(y.shape() == Dims{4, 2});
        CHECK(y.strides() == Dims{4, 16});
        CHECK(elements<float>(y.transpose()) == std::vector<float>{12, 15, 18, 21, 48, 51, 54, 57});
        CHECK(sum(x, axis(1), keepdims).strides()[2] == 16);
    }
}

TEST_CASE("a reduction that merges no axes gives the same", "[reduction]") {
    const ReductionKernel apart(
        "T x", "T y", "x", "a + b", "y = a", "0", "apart", {.reduce_dims = ReduceDims::no});
    for (const Device device : present_devices()) {
        const Array x = from_vector(mixed<double>(120), {2, 3, 4, 5}, {device});
        for (const List& axes : {List{0, 1}, List{2, 3}, List{1}}) {
            CHECK(elements<double>(apart(x, axis(axes))) ==
                  elements<double>(sum_kernel()(x, axis(axes))));
        }
    }
}

TEST_CASE("a reduction says what it is", "[reduction]") {
    const ReductionKernel range("T x, raw U w", "T lo, T hi", "x", "a + b", "lo = hi = a", "0");
    CHECK(range.name() == "reduce_kernel");
    CHECK(range.input_count() == 2);
    CHECK(range.output_count() == 2);
    CHECK(range.parameter_names() == std::vector<std::string>{"x", "w", "lo", "hi"});
    CHECK(range.raw_parameters() == std::vector<bool>{false, true, false, false});
    const std::vector<Argument> arguments = {ArraySpec{float32, {4, 5}}, ArraySpec{int8, {3}}};
    const Explanation told =
        range.explain(arguments, {.axes = List{1}}, {.device = Device::host()});
    CHECK(told.signature == "T x, raw U w -> T lo, T hi");
    CHECK(told.types == "T = float32, U = int8");
    CHECK_FALSE(told.source.empty());
}
