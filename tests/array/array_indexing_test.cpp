// SPDX-License-Identifier: MIT
#include <algorithm>
#include <kgen/array.hpp>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/small_arrays.hpp"

using namespace kgen;
using namespace kgen::indexing;
using namespace kgen::test;

namespace {

// Returns the indices that a range takes from an axis, by the definition in the Python language reference.
List picked(const Range& range, std::int64_t extent) {
    List indices;
    const auto limited = [&](std::int64_t k) {
        if (k < 0) k += extent;
        const std::int64_t low = range.step > 0 ? 0 : -1;
        return std::min(std::max(k, low), extent + low);
    };
    const std::int64_t start = limited(range.start.value_or(range.step > 0 ? 0 : extent - 1));
    std::int64_t stop = range.step > 0 ? extent : -1;
    if (range.stop) stop = limited(*range.stop);
    for (std::int64_t k = start; range.step > 0 ? k < stop : k > stop; k += range.step) {
        indices.push_back(static_cast<int>(k));
    }
    return indices;
}

// The shape and the elements of x[where], where x holds 0, 1, 2, ... in C order.
struct Picked {
    Dims shape;
    List elements = {0};  // during construction: offsets within the axes done so far
};

Picked pick(const Dims& shape, const std::vector<Index>& where) {
    Picked result;
    std::size_t named = 0;
    for (const Index& index : where) {
        named += index.kind() == Index::Kind::element || index.kind() == Index::Kind::range;
    }
    int axis = 0;
    const auto take = [&](const List& indices) {
        List next;
        for (const int offset : result.elements) {
            for (const int k : indices) {
                next.push_back(offset * static_cast<int>(shape[axis]) + k);
            }
        }
        result.elements = next;
        ++axis;
    };
    const auto take_whole = [&] {
        result.shape.push_back(shape[axis]);
        take(picked({}, shape[axis]));
    };
    for (const Index& index : where) {
        switch (index.kind()) {
            case Index::Kind::element:
                take({static_cast<int>(index.element() < 0 ? index.element() + shape[axis]
                                                           : index.element())});
                break;
            case Index::Kind::range: {
                const List indices = picked(index.range(), shape[axis]);
                result.shape.push_back(static_cast<std::int64_t>(indices.size()));
                take(indices);
                break;
            }
            case Index::Kind::new_axis:
                result.shape.push_back(1);
                break;
            case Index::Kind::ellipsis:
                for (std::size_t k = named; k < shape.size(); ++k) take_whole();
                break;
        }
    }
    while (axis < shape.rank()) take_whole();
    return result;
}

}  // namespace

TEST_CASE("indices are written as in NumPy") {
    for (const Device device : present_devices()) {
        const Array x = range({3, 4, 5}, device);
        CHECK(x[{1, 2, 3}].item<int>() == 33);
        CHECK(x[{-1, ellipsis}].shape() == Dims{4, 5});
        CHECK(list_of(x[{s(1, {}), 0, 0}]) == List{20, 40});
        CHECK(list_of(x[{0, s({}, {}, -1), 1}]) == List{16, 11, 6, 1});
        CHECK(list_of(x[{0, 0, s(1, -1, 2)}]) == List{1, 3});
        CHECK(x[{all, newaxis, s({}, 2)}].shape() == Dims{3, 1, 2, 5});
        CHECK(list_of(x[{ellipsis, 0}][0]) == List{0, 5, 10, 15});
        CHECK(x[newaxis].shape() == Dims{1, 3, 4, 5});
        CHECK(x[s(1, {})].shape() == Dims{2, 4, 5});
        CHECK(x[ellipsis].shape() == x.shape());
        CHECK(x[{}].shape() == x.shape());
        CHECK(x[2].shape() == Dims{4, 5});
        CHECK(x[std::vector<Index>{0, all, 1}].shape() == Dims{4});
        CHECK(x[{0, all}].storage() == x.storage());
        CHECK(x.as_read_only()[{0, all}].is_read_only());
        CHECK(x[{0, 0, 0}][{newaxis, ellipsis, newaxis}].shape() == Dims{1, 1});
    }
}

TEST_CASE("any list of indices picks what Python's definition of each picks") {
    std::mt19937 random(11);
    const auto draw = [&](std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    const auto bound = [&]() -> std::optional<std::int64_t> {
        if (draw(0, 3) == 0) return {};
        return draw(-7, 7);
    };
    for (int round = 0; round < 3000; ++round) {
        Dims shape;
        for (auto rank = draw(0, 4); rank > 0; --rank) shape.push_back(draw(0, 5));
        const Array x = range(shape, Device::host());
        std::vector<Index> where;
        int axes = 0;
        bool has_ellipsis = false;
        for (auto length = draw(0, 6); length > 0; --length) {
            const auto kind = draw(0, 5);
            if (kind == 0) {
                where.push_back(newaxis);
            } else if (kind == 1 && !has_ellipsis) {
                where.push_back(ellipsis);
                has_ellipsis = true;
            } else if (axes < shape.rank() && !has_ellipsis && kind < 4 && shape[axes] > 0) {
                where.push_back(draw(-shape[axes], shape[axes] - 1));
                ++axes;
            } else if (axes < shape.rank()) {
                const std::int64_t step = draw(1, 4);
                where.push_back(Range{bound(), bound(), draw(0, 1) == 0 ? step : -step});
                ++axes;
            }
        }
        const Picked expected = pick(shape, where);
        const Array y = x[where];
        INFO(to_text(shape) << " " << where.size() << " indices, round " << round);
        REQUIRE(y.shape() == expected.shape);
        REQUIRE(list_of(y) == expected.elements);
    }
}

TEST_CASE("a range picks what Python picks for all small bounds and steps") {
    std::vector<std::optional<std::int64_t>> bounds = {std::nullopt};
    for (std::int64_t k = -6; k <= 6; ++k) bounds.push_back(k);
    for (std::int64_t extent = 0; extent <= 4; ++extent) {
        const Array x = range({extent}, Device::host());
        for (const auto& start : bounds) {
            for (const auto& stop : bounds) {
                for (const std::int64_t step : {-5, -3, -2, -1, 1, 2, 3, 5}) {
                    const Range each{start, stop, step};
                    INFO(extent << ": " << start.value_or(99) << " " << stop.value_or(99) << " "
                                << step);
                    REQUIRE(list_of(x[each]) == picked(each, extent));
                }
            }
        }
    }
}

TEST_CASE("indices that cannot be are refused by axis and extent") {
    const Array x = range({2, 3}, Device::host());
    CHECK(KGEN_MESSAGE_OF(ShapeError, x[{all, 3}]) ==
          "index 3 is out of range: axis 1 of shape (2, 3) has 3 elements");
    CHECK(KGEN_MESSAGE_OF(ShapeError, x[{ellipsis, newaxis, -4}]) ==
          "index -4 is out of range: axis 1 of shape (2, 3) has 3 elements");
    CHECK(KGEN_MESSAGE_OF(ShapeError, x[{std::numeric_limits<std::uint64_t>::max(), all}]) ==
          "index 9223372036854775807 is out of range: axis 0 of shape (2, 3) has 2 elements");
    CHECK(KGEN_MESSAGE_OF(ShapeError, x[{s(0, 0), 0}][{0, newaxis}]) ==
          "index 0 is out of range: axis 0 of shape (0,) has 0 elements");
    CHECK(KGEN_MESSAGE_OF(ShapeError, x[{all, s({}, {}, 0)}]) == "slice: the step of axis 1 is 0");
    CHECK(KGEN_MESSAGE_OF(ShapeError, x[{0, ellipsis, 0, newaxis, 0}]) ==
          "index: 3 indices are given for shape (2, 3), which has 2 axes");
    CHECK(KGEN_MESSAGE_OF(ShapeError, x[{ellipsis, 0, ellipsis}]) ==
          "index: got 2 ellipses, expected at most 1");
    CHECK(KGEN_MESSAGE_OF(ShapeError, Array()[{all}]) ==
          "operator[]: the array has no memory, because it was default-constructed");
    CHECK(KGEN_MESSAGE_OF(ShapeError, x[std::vector<Index>(15, newaxis)]) ==
          "an array has at most 16 axes, but 17 were given");
}

TEST_CASE("set overwrites what the indices pick, and nothing else") {
    for (const Device device : present_devices()) {
        const Array x = zeros({3, 4}, int32, {.device = device});
        x.set({s(0, 2)}, 7);
        x.set({all, -1}, arange(3, float32, {.device = device}));
        x.set(2, -1);
        x.set(s({}, {}, 2), Array(x[1]));
        CHECK(list_of(x) == List{7, 7, 7, 1, 7, 7, 7, 1, 7, 7, 7, 1});
        x.set({ellipsis, s({}, {}, -2)}, arange(2, int8, {.device = Device::host()}));
        CHECK(list_of(x) == List{7, 1, 7, 0, 7, 1, 7, 0, 7, 1, 7, 0});
        // As in NumPy, the value may have extra leading axes of extent 1.
        x.set({0, s(0, 2)}, full({1, 1, 2}, 5, int32, {.device = device}));
        CHECK(list_of(x[0]) == List{5, 5, 7, 0});
        x.set({s(3, {})}, 100);
        x.set({s(0, 0)}, arange(4, int32, {.device = device}));
        CHECK(list_of(x[0]) == List{5, 5, 7, 0});
        x.set({1, 1}, range({}, device));
        CHECK(list_of(x[1]) == List{7, 0, 7, 0});
    }
}

TEST_CASE("one number is assigned to every element of any view in the array's dtype") {
    for (const Device device : present_devices()) {
        for (int k = 0; k < dtype_count; ++k) {
            const auto dtype = static_cast<DType>(k);
            INFO(to_text(dtype) << " on " << to_text(device));
            const Array x = zeros({2, 3}, dtype, {.device = device});
            x.transpose().slice({{.step = -2}}).assign(1);
            CHECK(x.astype(float64).to_vector<double>() == std::vector<double>{1, 0, 1, 1, 0, 1});
        }
    }
}

TEST_CASE("a source that overlaps its destination is read as it was before") {
    for (const Device device : present_devices()) {
        const Array x = range({6}, device);
        x.set(s(1, {}), x[s({}, -1)]);
        CHECK(list_of(x) == List{0, 0, 1, 2, 3, 4});
        x.set(s({}, {}, -1), x);
        CHECK(list_of(x) == List{4, 3, 2, 1, 0, 0});
        const Array y = range({3, 3}, device);
        y.assign(y.transpose());
        CHECK(list_of(y) == List{0, 3, 6, 1, 4, 7, 2, 5, 8});
        y.set({all, s(0, 2)}, y[{all, s(1, 3)}]);
        CHECK(list_of(y) == List{3, 6, 6, 4, 7, 7, 5, 8, 8});
        y.assign(y[0]);
        CHECK(list_of(y) == List{3, 6, 6, 3, 6, 6, 3, 6, 6});
    }
}

TEST_CASE("assignments that cannot be are refused and change nothing") {
    const Array x = range({2, 3}, Device::host());
    CHECK(KGEN_MESSAGE_OF(ShapeError, x.as_read_only().set(0, 5)) ==
          "assign: the array is read-only; assign to a copy()");
    CHECK(KGEN_MESSAGE_OF(ShapeError, x[0].broadcast_to({4, 3}).set({0, 0}, x[0][0])) ==
          "assign: the array is read-only; assign to a copy()");
    const Array same =
        Array::view(x.data(), int32, {4}, {.device = Device::host(), .strides = Dims{0}});
    CHECK(
        KGEN_MESSAGE_OF(ShapeError, same.assign(4)) ==
        "assign: the array overlaps itself: stride 0 along axis 0 of extent 4; assign to a copy()");
    CHECK(KGEN_MESSAGE_OF(TypeError, x.set(0, 2.5)) ==
          "assign: 2.5 does not fit int32 (it is not an integer)");
    CHECK(KGEN_MESSAGE_OF(TypeError, x.astype(int8).assign(300)) ==
          "assign: 300 does not fit int8 (-128 to 127)");
    CHECK(KGEN_MESSAGE_OF(ShapeError, x.set({all, 0}, x)) ==
          "shape (2, 3) does not broadcast to (2,): it has 2 axes, expected at most 1");
    CHECK(KGEN_MESSAGE_OF(ShapeError, x.set(0, range({2}, Device::host()))) ==
          "shape (2,) does not broadcast to (3,): axis 0 is 2 against 3");
    CHECK(KGEN_MESSAGE_OF(ShapeError, x.set(0, Array())) ==
          "assign: the array has no memory, because it was default-constructed");
    CHECK(KGEN_MESSAGE_OF(ShapeError, Array().assign(1)) ==
          "assign: the array has no memory, because it was default-constructed");
    CHECK(list_of(x) == List{0, 1, 2, 3, 4, 5});
}
