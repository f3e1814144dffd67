// SPDX-License-Identifier: MIT
#include <algorithm>
#include <kgen/array.hpp>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "support/catch.hpp"
#include "support/small_arrays.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

const ArrayOptions on_host{.device = Device::host()};
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

// Returns the elements in C order, computed from the definition of strides.
std::vector<int> walk(const Array& array) {
    std::vector<int> elements;
    Dims index = Dims::filled(array.rank(), 0);
    for (std::int64_t k = 0; k < array.size(); ++k) {
        const auto* address = static_cast<const std::byte*>(array.data());
        for (int axis = 0; axis < array.rank(); ++axis) {
            address += index[axis] * array.strides()[axis];
        }
        elements.push_back(*reinterpret_cast<const int*>(address));
        for (int axis = array.rank() - 1; axis >= 0 && ++index[axis] == array.shape()[axis];
             --axis) {
            index[axis] = 0;
        }
    }
    return elements;
}

// Returns a random view of a fresh array: transposed, sliced, reversed, with axes of extent 1.
Array random_view(std::mt19937& random) {
    const auto pick = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    Dims shape;
    for (int axis = pick(0, 4); axis > 0; --axis) shape.push_back(pick(1, 5));
    Array array = range(shape);
    std::vector<std::int64_t> axes(shape.size());
    std::iota(axes.begin(), axes.end(), 0);
    if (pick(0, 1) == 0) std::shuffle(axes.begin(), axes.end(), random);
    array = array.transpose(Dims(axes));
    std::vector<Range> ranges;
    for (int axis = 0; axis < array.rank(); ++axis) {
        switch (pick(0, 4)) {
            case 0:
                ranges.push_back({.step = -1});
                break;
            case 1:
                ranges.push_back({.step = 2});
                break;
            case 2:
                ranges.push_back({.start = 1, .stop = {}});
                break;
            default:
                ranges.push_back({});
                break;
        }
    }
    return array.slice(ranges);
}

Dims random_factors(std::int64_t count, std::mt19937& random) {
    Dims shape;
    while (count > 1 && shape.rank() < 5) {
        std::vector<std::int64_t> divisors;
        for (std::int64_t k = 1; k <= count; ++k) {
            if (count % k == 0) divisors.push_back(k);
        }
        shape.push_back(divisors[random() % divisors.size()]);
        count /= shape[shape.rank() - 1];
    }
    if (count != 1 || random() % 2 == 0) shape.push_back(count);
    return shape;
}

}  // namespace

TEST_CASE("reshape keeps the elements in C order, of any view") {
    std::mt19937 random(1);
    for (int round = 0; round < 2000; ++round) {
        const Array x = random_view(random);
        if (x.size() == 0) continue;
        const Dims shape = random_factors(x.size(), random);
        const Array y = x.reshape(shape);
        INFO(to_text(x.shape()) << to_text(x.strides()) << " to " << to_text(shape));
        REQUIRE(y.shape() == shape);
        REQUIRE(walk(y) == walk(x));
        REQUIRE(x.to_vector<int>() == walk(x));
        // If reshape() returned a view, reshaping the view back returns a view too.
        if (y.storage() == x.storage()) REQUIRE(y.reshape(x.shape()).storage() == x.storage());
    }
}

TEST_CASE("reshape gives a view of everything that NumPy gives a view of") {
    struct Case {
        Array array;
        Dims shape;
        bool is_view;
        Dims strides;
    };
    const Array x = range({4, 6});
    const std::vector<Case> cases = {
        {x, {2, 2, 6}, true, {48, 24, 4}},
        {x, {24}, true, {4}},
        {x, {-1}, true, {4}},
        {x, {2, -1, 3}, true, {48, 12, 4}},
        {x.transpose(), {6, 2, 2}, true, {4, 48, 24}},
        {x.transpose(), {2, 3, 4}, true, {12, 4, 24}},
        {x.transpose(), {24}, false, {4}},
        {x.transpose(), {3, 8}, false, {32, 4}},
        {x.slice({{}, {.start = 0, .stop = 3}}), {4, 1, 3, 1}, true, {24, 12, 4, 4}},
        {x.slice({{}, {.start = 0, .stop = 3}}), {12}, false, {4}},
        {x.slice({{.step = 2}}), {1, 2, 2, 3}, true, {96, 48, 12, 4}},
        {x.slice({{.step = -1}}), {4, 3, 2}, true, {-24, 8, 4}},
        {x.slice({{.step = -1}, {.step = -1}}), {3, 8}, true, {-32, -4}},
        {x[0].broadcast_to({5, 6}), {5, 2, 3}, true, {0, 12, 4}},
        {x[0].broadcast_to({5, 6}), {30}, false, {4}},
        {x.slice({{.start = 0, .stop = 0}}), {3, 0}, true, {4, 4}},
        {range({1}), {}, true, {}},
        {range({}), {1, 1}, true, {4, 4}},
    };
    for (const Case& each : cases) {
        INFO(to_text(each.array.strides()) << " to " << to_text(each.shape));
        const Array y = each.array.reshape(each.shape);
        CHECK((y.storage() == each.array.storage()) == each.is_view);
        CHECK(y.strides() == each.strides);
        CHECK(walk(y) == walk(each.array));
    }
}

TEST_CASE("a shape that does not fit the elements is refused") {
    const Array x = range({2, 5});
    CHECK(KGEN_MESSAGE_OF(ShapeError, x.reshape({3, 4})) ==
          "reshape: shape (2, 5) has 10 elements, but (3, 4) has 12");
    CHECK(KGEN_MESSAGE_OF(ShapeError, x.reshape({-1, 3})) ==
          "reshape: no extent for -1 in (-1, 3) fits the 10 elements of shape (2, 5)");
    CHECK(KGEN_MESSAGE_OF(ShapeError, x.reshape({-1, 5, -1})) ==
          "reshape: shape (-1, 5, -1) has more than one -1");
    CHECK(KGEN_MESSAGE_OF(ShapeError, range({0}).reshape({0, -1})) ==
          "reshape: no extent for -1 in (0, -1) fits the 0 elements of shape (0,)");
    CHECK(KGEN_MESSAGE_OF(ShapeError, x.reshape({-2, 5})) ==
          "shape (-2, 5): the extent of axis 0 is negative: -2");
    CHECK(KGEN_MESSAGE_OF(ShapeError, Array().reshape({1})) ==
          "reshape: the array has no memory, because it was default-constructed");
}

TEST_CASE("transpose puts axis axes[k] at k") {
    const Array x = range({2, 3, 4});
    const Array y = x.transpose({2, 0, -2});
    CHECK(y.shape() == Dims{4, 2, 3});
    for (int a = 0; a < 2; ++a) {
        for (int b = 0; b < 3; ++b) {
            for (int c = 0; c < 4; ++c) {
                CHECK(y[c][a][b].item<int>() == x[a][b][c].item<int>());
            }
        }
    }
    CHECK(x.transpose().shape() == Dims{4, 3, 2});
    CHECK(x.transpose().is_contiguous(Order::f));
    CHECK(KGEN_MESSAGE_OF(ShapeError, x.transpose({0, 1})) ==
          "transpose: 2 axes are given for shape (2, 3, 4), which has 3");
    CHECK(KGEN_MESSAGE_OF(ShapeError, x.transpose({0, 1, 3})) ==
          "transpose: axis 3 does not exist: shape (2, 3, 4) has axes 0 to 2");
    CHECK(KGEN_MESSAGE_OF(ShapeError, x.transpose({0, 1, -3})) ==
          "transpose: axis 0 is given twice in (0, 1, -3)");
}

TEST_CASE("slices take what Python's slices take") {
    // The reference follows the Python language reference: it clamps start and stop to the
    // range and then steps from start until stop.
    const auto reference = [](std::int64_t n, const Range& r) {
        std::vector<int> taken;
        const auto clamp = [&](std::int64_t k, std::int64_t low, std::int64_t high) {
            if (k < 0) k = k < -n ? low : k + n;
            return std::clamp(k, low, high);
        };
        const std::int64_t low = r.step > 0 ? 0 : -1;
        const std::int64_t high = r.step > 0 ? n : n - 1;
        const std::int64_t start = r.start ? clamp(*r.start, low, high) : r.step > 0 ? low : high;
        const std::int64_t stop = r.stop ? clamp(*r.stop, low, high) : r.step > 0 ? high : low;
        for (std::int64_t k = start; r.step > 0 ? k < stop : k > stop; k += r.step) {
            taken.push_back(static_cast<int>(k));
        }
        return taken;
    };
    std::vector<std::optional<std::int64_t>> bounds = {std::nullopt};
    for (std::int64_t k = -7; k <= 7; ++k) bounds.push_back(k);
    for (const std::int64_t n : {0, 1, 5}) {
        const Array x = range({n});
        for (const auto& start : bounds) {
            for (const auto& stop : bounds) {
                for (const std::int64_t step : {-6, -2, -1, 1, 2, 3, 6}) {
                    const Range r{start, stop, step};
                    INFO(n << ": " << start.value_or(99) << " " << stop.value_or(99) << " "
                           << step);
                    REQUIRE(walk(x.slice({r})) == reference(n, r));
                }
            }
        }
    }
}

TEST_CASE("slice bounds and steps may be as large as integers get") {
    const Array x = range({5});
    CHECK(walk(x.slice({{.start = -most - 1, .stop = most, .step = most}})) == std::vector<int>{0});
    CHECK(walk(x.slice({{.start = most, .stop = -most - 1, .step = -most - 1}})) ==
          std::vector<int>{4});
    CHECK(x.slice({{.start = most, .stop = {}}}).size() == 0);
}

TEST_CASE("slices that cannot be are refused") {
    const Array x = range({2, 3});
    CHECK(KGEN_MESSAGE_OF(ShapeError, x.slice({{}, {.step = 0}})) ==
          "slice: the step of axis 1 is 0");
    CHECK(KGEN_MESSAGE_OF(ShapeError, x.slice({{}, {}, {}})) ==
          "slice: 3 ranges are given for shape (2, 3), which has 2 axes");
}

TEST_CASE("an index selects along the first axis, from the end if negative") {
    const Array x = range({3, 2});
    CHECK(walk(x[1]) == std::vector<int>{2, 3});
    CHECK(walk(x[-1]) == std::vector<int>{4, 5});
    CHECK(x[2][-2].item<int>() == 4);
    CHECK(KGEN_MESSAGE_OF(ShapeError, x[3]) ==
          "index 3 is out of range: axis 0 of shape (3, 2) has 3 elements");
    CHECK(KGEN_MESSAGE_OF(ShapeError, x[-4]) ==
          "index -4 is out of range: axis 0 of shape (3, 2) has 3 elements");
    CHECK(KGEN_MESSAGE_OF(ShapeError, x[0][0][0]) ==
          "index 0: an array of shape () has no axis to index");
}

TEST_CASE("broadcast_to repeats elements without copying them") {
    std::mt19937 random(2);
    for (int round = 0; round < 500; ++round) {
        const Array x = random_view(random);
        Dims shape;
        for (std::size_t k = random() % 3; k > 0; --k) {
            shape.push_back(static_cast<std::int64_t>(random() % 4));
        }
        const int added = shape.rank();
        for (const std::int64_t extent : x.shape()) {
            shape.push_back(extent == 1 ? static_cast<std::int64_t>(random() % 4) : extent);
        }
        const Array y = x.broadcast_to(shape);
        REQUIRE(y.shape() == shape);
        REQUIRE(y.is_read_only());
        REQUIRE(y.storage() == x.storage());
        const std::vector<int> source = walk(x);
        std::vector<int> expected;
        for (std::int64_t k = 0; k < y.size(); ++k) {
            std::int64_t rest = k;
            std::int64_t offset = 0;
            std::int64_t weight = 1;
            for (int axis = shape.rank() - 1; axis >= added; --axis) {
                const std::int64_t index = rest % shape[axis];
                rest /= shape[axis];
                if (x.shape()[axis - added] != 1) offset += index * weight;
                weight *= x.shape()[axis - added];
            }
            expected.push_back(source[static_cast<std::size_t>(offset)]);
        }
        REQUIRE(walk(y) == expected);
    }
}

TEST_CASE("shapes that do not broadcast are refused") {
    const Array x = range({3, 2});
    CHECK(KGEN_MESSAGE_OF(ShapeError, x.broadcast_to({2})) ==
          "shape (3, 2) does not broadcast to (2,): it has 2 axes, expected at most 1");
    CHECK(KGEN_MESSAGE_OF(ShapeError, x.broadcast_to({5, 3, 4})) ==
          "shape (3, 2) does not broadcast to (5, 3, 4): axis 2 is 2 against 4");
    CHECK(KGEN_MESSAGE_OF(ShapeError, x.broadcast_to({most, 3, 2})) ==
          "shape (9223372036854775807, 3, 2) has more elements than fit in 64 bits");
    CHECK(KGEN_MESSAGE_OF(ShapeError, range({}).broadcast_to({most})) ==
          "shape (9223372036854775807,) of int32 has more bytes than fit in 64 bits");
}

TEST_CASE("contiguity is NumPy's: axes of extent 1 do not count") {
    const Array x = range({2, 3});
    CHECK((x.is_contiguous() && !x.is_contiguous(Order::f)));
    CHECK((!x.transpose().is_contiguous() && x.transpose().is_contiguous(Order::f)));
    CHECK(x.slice({{}, {.start = 0, .stop = 1}}).transpose().is_contiguous() == false);
    CHECK(x.slice({{.start = 0, .stop = 1}}).transpose().is_contiguous());
    CHECK(range({3}).is_contiguous(Order::f));
    CHECK(range({}).is_contiguous(Order::f));
    CHECK(x.slice({{.start = 2, .stop = {}}}).transpose().is_contiguous());
    CHECK_FALSE(x.slice({{.step = -1}}).is_contiguous());
}
