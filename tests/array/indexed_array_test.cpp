// SPDX-License-Identifier: MIT
//
// Assignment to an Array: to an indexed array it writes elements, to a variable it rebinds the
// handle, and otherwise it does not compile.
#include <fmt/format.h>

#include <kgen/kgen.hpp>
#include <numeric>
#include <random>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/small_arrays.hpp"

using namespace kgen;
using namespace kgen::indexing;
using namespace kgen::test;

namespace {

// Variables can be assigned. The result of a function cannot, because the changed handle would be lost.
static_assert(std::is_assignable_v<Array&, const Array&>);
static_assert(std::is_assignable_v<Array&, Array>);
static_assert(std::is_assignable_v<Array&, IndexedArray>);
static_assert(std::is_nothrow_move_assignable_v<Array>);
static_assert(!std::is_assignable_v<Array, const Array&>);
static_assert(!std::is_assignable_v<Array, Array>);
static_assert(!std::is_assignable_v<const Array&, const Array&>);
static_assert(!std::is_assignable_v<Array, int>);

// An indexed array accepts arrays and numbers as long as it has no name.
static_assert(std::is_assignable_v<IndexedArray, const Array&>);
static_assert(std::is_assignable_v<IndexedArray, Array>);
static_assert(std::is_assignable_v<IndexedArray, const IndexedArray&>);
static_assert(std::is_assignable_v<IndexedArray, IndexedArray>);
static_assert(std::is_assignable_v<IndexedArray, int>);
static_assert(std::is_assignable_v<IndexedArray, std::complex<float>>);
static_assert(!std::is_assignable_v<IndexedArray&, const Array&>);
static_assert(!std::is_assignable_v<IndexedArray&, IndexedArray>);
static_assert(!std::is_assignable_v<IndexedArray&, int>);
static_assert(!std::is_assignable_v<const IndexedArray&, const Array&>);
static_assert(std::is_convertible_v<IndexedArray, Array>);

}  // namespace

TEST_CASE("assigning to an indexed array writes its elements") {
    for (const Device device : present_devices()) {
        const ArrayOptions here = {.device = device};
        const Array x = zeros({3, 2}, int32, here);
        const Array row = from_vector(List{1, 2}, here);
        x[1] = row;
        CHECK(list_of(x) == List{0, 0, 1, 2, 0, 0});
        x[2] = x[1];
        CHECK(list_of(x) == List{0, 0, 1, 2, 1, 2});
        x[0] = 7;
        CHECK(list_of(x) == List{7, 7, 1, 2, 1, 2});
        x[{all, 1}] = from_vector(List{3, 4, 5}, here);
        CHECK(list_of(x) == List{7, 3, 1, 4, 1, 5});
        x[s({}, {}, 2)] = row;
        x[{-1, -1}] = 9.0;  // converts like assign()
        x[ellipsis][0][1] = 8;
        CHECK(list_of(x) == List{1, 8, 1, 4, 1, 9});
        x[std::vector<Index>{1}] = std::move(row);
        CHECK(list_of(row) == List{1, 2});
        CHECK(list_of(x[1]) == List{1, 2});
        CHECK(list_of(x.transpose()[0]) == List{1, 1, 1});
    }
}

TEST_CASE(
    "an array that overlaps the elements it is assigned to is read before these are written") {
    std::mt19937 random(std::random_device{}());
    const auto draw = [&](std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    for (const Device device : present_devices()) {
        for (int round = 0; round < 30; ++round) {
            List expected(static_cast<std::size_t>(draw(1, 40)));
            std::iota(expected.begin(), expected.end(), 0);
            const auto size = static_cast<std::int64_t>(expected.size());
            const Array x = from_vector(expected, {.device = device});
            const std::int64_t count = draw(0, size);
            const std::int64_t to = draw(0, size - count);
            const std::int64_t from = draw(0, size - count);
            CAPTURE(size, count, to, from);
            const List before = expected;
            for (std::int64_t k = 0; k < count; ++k)
                expected[static_cast<std::size_t>(to + k)] =
                    before[static_cast<std::size_t>(from + count - 1 - k)];
            x[s(to, to + count)] = x[s(from, from + count)][s({}, {}, -1)];
            CHECK(list_of(x) == expected);
        }
    }
}

TEST_CASE("an indexed array that gets a name is a handle like any other") {
    for (const Device device : present_devices()) {
        const ArrayOptions here = {.device = device};
        const Array x = from_vector(List{1, 2, 3, 4}, {2, 2}, here);
        const Array row = from_vector(List{5, 6}, here);
        Array y = x[0];
        y = row;  // rebinds y; no element is written
        CHECK(list_of(x) == List{1, 2, 3, 4});
        Array z = x[1];
        std::swap(y, z);
        CHECK(list_of(y) == List{3, 4});
        std::tie(y, z) = std::pair(z, y);
        CHECK(list_of(y) == List{5, 6});
        auto view = x[1];
        view.assign(row);
        CHECK(list_of(x) == List{1, 2, 5, 6});
        CHECK(fmt::format("{}", view) == "[5 6]");
        CHECK(list_of(concatenate({x[0], view, row})) == List{1, 2, 5, 6, 5, 6});
        CHECK(list_of(true ? x[0] : row) == List{1, 2});
        const ElementwiseKernel add("T x, T y", "T z", "z = x + y", "add_indexed");
        CHECK(list_of(add(x[0], view)) == List{6, 8});
        add(x[0], view, out(x[1]));
        CHECK(list_of(x) == List{1, 2, 6, 8});
    }
}

TEST_CASE("what cannot be assigned to an indexed array is an error and writes nothing") {
    for (const Device device : present_devices()) {
        const ArrayOptions here = {.device = device};
        const Array x = from_vector(List{1, 2, 3, 4}, {2, 2}, here);
        CHECK(KGEN_MESSAGE_OF(ShapeError, x.as_read_only()[0] = 1) ==
              "assign: the array is read-only; assign to a copy()");
        CHECK(KGEN_MESSAGE_OF(TypeError, x[0] = 2.5) ==
              "assign: 2.5 does not fit int32 (it is not an integer)");
        CHECK_THROWS_AS(x[0] = Array(), ShapeError);
        CHECK_THROWS_AS(x[0] = zeros({3}, int32, here), ShapeError);
        CHECK(list_of(x) == List{1, 2, 3, 4});
    }
}
