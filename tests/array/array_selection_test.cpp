// SPDX-License-Identifier: MIT
#include <kgen/kgen.hpp>
#include <random>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"

using namespace kgen;
using kgen::test::present_devices;

TEST_CASE("take() along any axis returns what indexing one by one returns", "[array]") {
    std::mt19937 random(7);
    for (const Device device : present_devices()) {
        const Array x =
            arange(2 * 3 * 4, float32, {.device = device}).reshape(2, 3, 4).transpose(2, 0, 1);
        for (int axis_number = 0; axis_number < 3; ++axis_number) {
            const Array indices = array({{0, -1}, {1, 1}}, int32, {.device = device});
            const Array taken = take(x, indices, axis(axis_number));
            Dims shape;
            for (int k = 0; k < axis_number; ++k) shape.push_back(x.shape()[k]);
            shape.push_back(2);
            shape.push_back(2);
            for (int k = axis_number + 1; k < 3; ++k) shape.push_back(x.shape()[k]);
            REQUIRE(taken.shape() == shape);
            const Array from = moveaxis(x, axis_number, 0);
            const Array to = moveaxis(taken, {axis_number, axis_number + 1}, {0, 1});
            const int at[2][2] = {{0, -1}, {1, 1}};
            for (int a = 0; a < 2; ++a)
                for (int b = 0; b < 2; ++b) CHECK(array_equal(to[{a, b}], from[{at[a][b]}]));
        }
        CHECK(take(x, array({5, -1, 100}, int64, {.device = device})).to_vector<float>() ==
              std::vector<float>{x[{0, 1, 2}].item<float>(), 23, x[{0, 1, 1}].item<float>()});
        CHECK(take(x, array({0}, int64, {.device = device})[{0}], axis(0)).shape() == Dims{2, 3});
    }
}

TEST_CASE("put() and assignments by index write the elements that are indexed", "[array]") {
    for (const Device device : present_devices()) {
        const ArrayOptions here{.device = device};
        const Array x = zeros({3, 2}, float32, here);
        x[array({2, 0}, int32, here)] = array({{1, 2}, {3, 4}}, here);
        CHECK(x.to_vector<float>() == std::vector<float>{3, 4, 0, 0, 1, 2});
        x[array({1}, int32, here)] += 5;
        CHECK(x.to_vector<float>() == std::vector<float>{3, 4, 5, 5, 1, 2});
        put(x, array({0, -1}, int32, here), array({8, 9}, here));
        CHECK(x.to_vector<float>() == std::vector<float>{8, 4, 5, 5, 1, 9});
        put(x.transpose(), array({1}, int32, here), array({0.5}, here), axis(0));
        CHECK(x.to_vector<float>() == std::vector<float>{8, 0.5, 5, 0.5, 1, 0.5});
        const Array doubled = x[array({2, 2}, uint8, here)] * 2;
        CHECK(doubled.to_vector<float>() == std::vector<float>{2, 1, 2, 1});
        x[array({true, false, true}, here).reshape(3, 1)] = 7;
        CHECK(x.to_vector<float>() == std::vector<float>{7, 7, 5, 0.5, 7, 7});
    }
}

TEST_CASE("a mask of fewer axes than the array selects along the leading axes", "[array]") {
    for (const Device device : present_devices()) {
        const ArrayOptions here{.device = device};
        const Array x = arange(12, int32, here).reshape(2, 2, 3);
        x[array({true, false}, here)] = -1;
        CHECK(x.to_vector<int>() == std::vector<int>{-1, -1, -1, -1, -1, -1, 6, 7, 8, 9, 10, 11});
        x[sum(x, axis(2)) > 21] += 100;
        CHECK(x.to_vector<int>() ==
              std::vector<int>{-1, -1, -1, -1, -1, -1, 6, 7, 8, 109, 110, 111});
        x[array({{false, true}, {false, false}}, here)] = 5;
        CHECK(x.to_vector<int>() == std::vector<int>{-1, -1, -1, 5, 5, 5, 6, 7, 8, 109, 110, 111});
        x[any(x > 0)] = 0;  // a mask of rank 0 selects all or nothing
        CHECK(sum(x).as<int>() == 0);
        CHECK(KGEN_MESSAGE_OF(ShapeError, x[array({true, false, true}, here)] = 0) ==
              "x[mask]: x has the shape (2, 2, 3), but the mask has (3,); a mask has the shape of "
              "x or of its "
              "first axes");
    }
}

TEST_CASE("choose() takes each element from the array that the index names", "[array]") {
    for (const Device device : present_devices()) {
        const ArrayOptions here{.device = device};
        const Array index = array({0, 1, 2, 5, -1}, int32, here);
        const Array chosen =
            choose(index, {full({5}, 1, int32, here), full({}, 2.5, here), arange(5, int32, here)});
        CHECK(chosen.dtype() == float64);
        CHECK(chosen.to_vector<double>() == std::vector<double>{1, 2.5, 2, 3, 1});
        CHECK(Array(choose(index, {index})).to_vector<std::int32_t>() ==
              index.to_vector<std::int32_t>());
    }
}

TEST_CASE("indexing with arrays refuses what it cannot do", "[array]") {
    const ArrayOptions host{.device = Device::host()};
    const Array x = arange(6, float32, host).reshape(2, 3);
    const Array mask = array({true, false}, host).reshape(2, 1);
    CHECK(KGEN_MESSAGE_OF(TypeError, Array(x[mask])) ==
          "x[mask] has as many elements as the mask is true, which must be counted first, and kgen "
          "has no function "
          "for that yet; use where(mask, x, other) to keep the shape, or x[mask] = number");
    CHECK(KGEN_MESSAGE_OF(TypeError, x[mask] = x) ==
          "x[mask] = array would need the elements counted; write x.assign(where(mask, array, x)) "
          "for an array of "
          "x's shape");
    CHECK(KGEN_MESSAGE_OF(TypeError, take(x, x)) ==
          "take: the indices have the dtype float32; they must be integers");
    CHECK(KGEN_MESSAGE_OF(ShapeError, take(x, array({0}, host), axis(2))) ==
          "take: axis 2 does not exist: shape (2, 3) has axes 0 to 1");
    CHECK(KGEN_MESSAGE_OF(ShapeError, take(x, array({0}, host), axis({0, 1}))) ==
          "take: 2 axes are given, expected 1");
    CHECK(KGEN_MESSAGE_OF(ShapeError, take(zeros({0, 2}, host), array({0}, host), axis(0))) ==
          "take: the array has the shape (0, 2) and no element to index");
    CHECK(KGEN_MESSAGE_OF(ShapeError, choose(x, std::span<const Array>())) ==
          "choose: no choices are given");
}
