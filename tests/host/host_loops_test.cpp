// SPDX-License-Identifier: MIT
//
// The host's loops, compared with plain loops over indices: sizes around the edges of tiles and of the
// threads' ranges, every dtype, and everything that bodies may do.
#include "support/host_loops.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <kgen/kgen.hpp>
#include <random>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/placed.hpp"
#include "support/scoped_variable.hpp"

using namespace kgen;
using namespace kgen::test;

TEST_CASE("a transposed operand is right for sizes around the edges of tiles", "[host_loops]") {
    // Small arrays get tiles only if KGEN_LOOP names them.
    const ScopedVariable forced("KGEN_LOOP", "tiles");
    const ElementwiseKernel tiled("T x, T y", "T z", "z = x - 3 * y", "combine_tiled");
    for (const std::int64_t rows : {7, 8, 9, 63, 64, 65, 127, 129}) {
        for (const std::int64_t columns : {7, 8, 63, 64, 65, 128, 129, 200}) {
            INFO(rows << " x " << columns);
            const Dims shape{rows, columns};
            const auto x_values = numbers(rows * columns, 1);
            const auto y_values = numbers(rows * columns, 2);
            const Placed x =
                place<std::int32_t>(host, x_values, shape, dense_strides(shape, {1, 0}, 4), 4);
            const Placed y =
                place<std::int32_t>(host, y_values, shape, dense_strides(shape, {0, 1}, 4));
            const Placed z =
                place<std::int32_t>(host, y_values, shape, dense_strides(shape, {0, 1}, 4), 4);
            if (rows * 4 < 64 || (columns < 8 && rows < 4 * columns)) {
                CHECK_THROWS_AS(tiled(x.array, y.array, out(z.array)), ShapeError);
                continue;
            }
            tiled(x.array, y.array, out(z.array));
            std::vector<std::int32_t> expected;
            for (std::size_t k = 0; k < x_values.size(); ++k)
                expected.push_back(x_values[k] - 3 * y_values[k]);
            CHECK(z.values<std::int32_t>() == expected);
            CHECK(z.is_clean_around());
        }
    }
}

TEST_CASE("bool arrays select values in every loop", "[host_loops]") {
    const ReductionKernel total(
        "bool c, T x", "int64 sum", "c ? x : T(0)", "a + b", "sum = a", "0", "total_masked");
    const auto check = [&](auto tag, const Dims& shape, const char* loop) {
        using T = decltype(tag);
        INFO(to_text(dtype_of<T>()) << ", " << loop << ", rows of " << shape[1]);
        const bool turned = shape[0] > 64;
        const ScopedVariable forced("KGEN_LOOP",
                                    has_part(loop, "tiles") ? std::string("tiles") : "");
        const ElementwiseKernel select("bool c, bool d, T x, T y",
                                       "T z, bool w",
                                       "z = c && !d ? x : y; w = d ? c : x < y",
                                       "select_masked");
        const bool short_rows = shape[1] < 8;
        std::vector<std::uint8_t> c, d, expected_w;
        std::vector<T> x, y, expected_z;
        std::int64_t sum = 0;
        std::mt19937 random(9);
        for (std::int64_t k = 0; k < count_of(shape); ++k) {
            const std::int64_t place = short_rows ? k % shape[1] : k;
            c.push_back(random() % 2);
            if (k == place) d.push_back(random() % 2);
            x.push_back(static_cast<T>(random() % 100));
            y.push_back(static_cast<T>(random() % 100));
            const bool other = d[static_cast<std::size_t>(place)] != 0;
            expected_z.push_back(c.back() != 0 && !other ? x.back() : y.back());
            expected_w.push_back(other ? c.back() : std::uint8_t{x.back() < y.back()});
            if (c.back() != 0) sum += static_cast<std::int64_t>(x.back());
        }
        const Array mask = from_vector(c, shape, {host}).astype(bool_);
        const Array given = from_vector(x, shape, {host});
        const Array other =
            from_vector(d, short_rows ? Dims{shape[1]} : shape, {host}).astype(bool_);
        // The copy of the transpose has the same elements, but columns that are contiguous.
        const Array columns = turned && !short_rows ? mask.transpose().copy().transpose() : mask;
        const Array values = from_vector(y, shape, {host});
        CHECK(has_part(explained(select, {columns, other, given, values}), loop));
        const auto results = select.call<2>(columns, other, given, values);
        CHECK(elements<T>(results[0]) == expected_z);
        CHECK(elements<bool>(results[1]) == expected_w);
        CHECK(total(mask, given).template item<std::int64_t>() == sum);
    };
    const auto check_loops = [&](auto tag) {
        check(tag, {1, 1}, "one row");
        check(tag, {1, 1031}, "one row");
        check(tag, {70, 83}, "tiles of 64 by 64");
        for (const std::int64_t columns : {2, 3, 5, 7})
            check(tag, {345, columns}, "short rows, many at once");
    };
    check_loops(std::uint8_t());
    check_loops(std::int16_t());
    check_loops(std::int64_t());
    check_loops(float());
    check_loops(double());
}

TEST_CASE("tiles are right for every dtype", "[host_loops]") {
    const Dims shape{70, 83};
    const auto check = [&](auto tag) {
        using T = decltype(tag);
        std::vector<Held<T>> values;
        for (int k = 0; k < 70 * 83; ++k) {
            if constexpr (std::is_same_v<T, bool>) {
                values.push_back(k % 3 == 0 ? 1 : 0);
            } else {
                values.push_back(static_cast<T>(static_cast<float>(k % 97)));
            }
        }
        INFO(to_text(dtype_of<T>()));
        const ScopedVariable forced("KGEN_LOOP", "tiles");
        const ElementwiseKernel copy("T x, T y", "T z", "z = y == y ? x : y", "copy_turned");
        const auto item = static_cast<std::int64_t>(sizeof(T));
        const Placed x = place<T>(host, values, shape, dense_strides(shape, {1, 0}, item));
        const Placed z = place<T>(host, values, shape, dense_strides(shape, {0, 1}, item));
        const Placed y = place<T>(host, values, shape, dense_strides(shape, {0, 1}, item));
        std::fill_n(static_cast<std::byte*>(z.array.data()), 70 * 83 * item, std::byte{1});
        copy(x.array, y.array, out(z.array));
        CHECK((elements<T>(z.array) == values));
        CHECK(runs_tiles(copy, {x.array, y.array}));
    };
    for_plain_types(check);
}

TEST_CASE("tiles of the two narrow floats are right", "[host_loops]") {
    const Dims shape{70, 83};
    const ElementwiseKernel twice("T x, T y", "T z", "z = x + x + (y - y)", "twice_turned");
    const auto check = [&](auto tag) {
        using T = decltype(tag);
        std::vector<T> values;
        std::vector<T> expected;
        for (int k = 0; k < 70 * 83; ++k) {
            values.push_back(T(static_cast<float>(k % 97)));
            expected.push_back(T(static_cast<float>(k % 97 * 2)));
        }
        const Placed x = place<T>(host, values, shape, dense_strides(shape, {1, 0}, 2));
        const Placed y = place<T>(host, values, shape, dense_strides(shape, {0, 1}, 2));
        const std::vector<T> result = elements<T>(twice(x.array, y.array));
        CHECK(std::equal(result.begin(), result.end(), expected.begin(), [](T a, T b) {
            return a.bits == b.bits;
        }));
    };
    check(half_t{});
    check(bfloat16_t{});
}

TEST_CASE("random layouts that give tiles are right, up to rank 6", "[host_loops]") {
    std::mt19937_64 random(21);
    const auto pick = [&](std::int64_t low, std::int64_t high) {
        return low +
               static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
    };
    const auto kernels = [](const char* loop) {
        const ScopedVariable forced("KGEN_LOOP", std::string(loop));
        return std::vector<ElementwiseKernel>{
            {"T x, T y, T w", "T z", "z = x - 3 * y + 7 * w", "tiled"},
            {"T x, T y, T w",
             "T z",
             "z = x - 3 * y + 7 * w + 5 * (int)i + (int)_ind.get()[0]",
             "counted"},
            {"T x, T y, T w",
             "T z",
             "const T* p = &y; T* q = &z; *q = x - 3 * *p + 7 * w",
             "referred"}};
    };
    const std::vector<ElementwiseKernel> chosen = kernels("");
    const std::vector<ElementwiseKernel> forced = kernels("tiles");
    int tiled = 0;
    for (int run = 0; run < 30; ++run) {
        const auto rank = static_cast<int>(pick(2, 6));
        Dims shape = Dims::filled(rank, 2);
        shape[pick(0, rank - 2)] = pick(7, 70);
        shape[rank - 1] = pick(7, 70);
        std::vector<int> axes;
        for (int axis = 0; axis < rank; ++axis) axes.push_back(axis);
        const auto random_layout = [&] {
            std::vector<int> order = axes;
            std::shuffle(order.begin(), order.end(), random);
            if (pick(0, 2) == 0) order = axes;
            Dims strides = dense_strides(shape, order, 4 * pick(1, 2));
            for (std::int64_t& stride : strides) {
                if (pick(0, 5) == 0) stride = -stride;
            }
            return strides;
        };
        std::vector<Placed> inputs;
        std::vector<std::vector<std::int32_t>> values;
        for (int k = 0; k < 3; ++k) {
            Dims strides = random_layout();
            auto made = numbers(count_of(shape), k);
            // A stride of 0 along an axis makes all elements along it the same.
            if (pick(0, 3) == 0) {
                const auto axis = pick(0, rank - 1);
                std::int64_t inner = 1;
                for (int after = rank - 1; after > axis; --after) inner *= shape[after];
                for (std::size_t at = 0; at < made.size(); ++at) {
                    const auto place_of = static_cast<std::int64_t>(at);
                    made[at] =
                        made[at - static_cast<std::size_t>(place_of / inner % shape[axis] * inner)];
                }
                strides[axis] = 0;
            }
            inputs.push_back(place<std::int32_t>(host, made, shape, strides));
            values.push_back(std::move(made));
        }
        const Placed z = place<std::int32_t>(host, values[0], shape, random_layout());
        const std::int64_t slowest = count_of(shape) / shape[0];
        for (std::size_t which = 0; which < chosen.size(); ++which) {
            std::vector<std::int32_t> expected;
            for (std::size_t k = 0; k < values[0].size(); ++k) {
                std::int32_t value = values[0][k] - 3 * values[1][k] + 7 * values[2][k];
                const auto at = static_cast<std::int64_t>(k);
                if (which == 1) value += static_cast<std::int32_t>(5 * at + at / slowest);
                expected.push_back(value);
            }
            const auto run_kernel = [&](const ElementwiseKernel& kernel) {
                kernel(inputs[0].array, inputs[1].array, inputs[2].array, out(z.array));
            };
            try {
                run_kernel(forced[which]);
                ++tiled;
            } catch (const ShapeError&) {  // tiles cannot run this call
                run_kernel(chosen[which]);
            }
            INFO("run " << run << ", shape " << to_text(shape) << ", by "
                        << to_text(inputs[0].array.strides()) << " "
                        << to_text(inputs[1].array.strides()) << " "
                        << to_text(inputs[2].array.strides()) << " to "
                        << to_text(z.array.strides()));
            CHECK(z.values<std::int32_t>() == expected);
            CHECK(z.is_clean_around());
        }
    }
    CHECK(tiled > 11);
}

TEST_CASE("tiles and rows share their work among threads without a seam", "[host_loops]") {
    // Large enough for every thread. No extent is a multiple of a thread's share.
    const ElementwiseKernel count("T x, T y, raw _non_const int32 seen",
                                  "T z",
                                  "atomicAdd(&seen[i], 1); z = x + y",
                                  "seen_once");
    const Dims shapes[] = {
        {1031, 517}, {97, 4099}, {4099, 9}, {3, 300, 301}, {300007, 2}, {100003, 3}};
    for (const Dims& shape : shapes) {
        INFO(to_text(shape));
        const std::int64_t size = count_of(shape);
        std::vector<int> reversed;
        for (int axis = shape.rank() - 1; axis >= 0; --axis) reversed.push_back(axis);
        const auto values = numbers(size, 4);
        const Placed x =
            place<std::int32_t>(host, values, shape, dense_strides(shape, reversed, 4));
        const Array y = from_vector(values, shape, {host});
        const Array seen = zeros({size}, int32, {host});
        const Array z = empty(shape, int32, {host});
        count(x.array, y, seen, out(z));
        CHECK(seen.to_vector<std::int32_t>() ==
              std::vector<std::int32_t>(static_cast<std::size_t>(size), 1));
        std::vector<std::int32_t> expected;
        for (const std::int32_t value : values) expected.push_back(2 * value);
        CHECK(z.to_vector<std::int32_t>() == expected);
    }
}

TEST_CASE("bands of columns are right", "[host_loops]") {
    const ElementwiseKernel kernel(
        "T x, T y", "T z", "z = x - 2 * y + int(i % 7) * int(_ind.get()[1] + 1)", "banded");
    // Columns that do not fill the last band.
    const Dims shape = {40009, 5, 3};
    const std::int64_t size = count_of(shape);
    const std::vector<int> reversed = {2, 1, 0};
    const auto values = numbers(size, 4);
    const Array x = from_vector(values, shape, {host});
    const Placed y = place<std::int32_t>(host, values, shape, dense_strides(shape, reversed, 4));
    const Placed z = place<std::int32_t>(
        host, std::vector<std::int32_t>(values.size()), shape, dense_strides(shape, reversed, 4));
    const std::vector<Argument> arguments = {x, y.array};
    const auto text = kernel.explain(arguments, {.outputs = {z.array}}, {.device = host}).plan;
    CHECK(has_part(text, "bands of 64 columns over the rows of"));
    kernel(x, y.array, out(z.array));
    std::vector<std::int32_t> expected;
    for (std::size_t k = 0; k < values.size(); ++k)
        expected.push_back(-values[k] + static_cast<std::int32_t>(k % 7 * (k / 3 % 5 + 1)));
    CHECK(elements<std::int32_t>(z.array) == expected);
}

TEST_CASE("an operand that runs backwards is right, and explain says so", "[host_loops]") {
    for (const std::int64_t count : {1, 2, 15, 16, 17, 64, 1000}) {
        INFO(count);
        const auto values = numbers(count, 9);
        const Array y = from_vector(values, {host});
        const Array x = y.slice({Range{{}, {}, -1}});
        const Array z = zeros({count}, int32, {host});
        std::vector<std::int32_t> expected(values.size());
        for (std::size_t k = 0; k < values.size(); ++k)
            expected[k] = values[values.size() - 1 - k] - 3 * values[k];
        combine()(x, y, out(z));
        CHECK(elements<std::int32_t>(z) == expected);
        combine()(x, y, out(z.slice({Range{{}, {}, -1}})));
        std::reverse(expected.begin(), expected.end());
        CHECK(elements<std::int32_t>(z) == expected);
        CHECK(has_part(explained(combine(), {x, y}),
                       "x: contiguous, backwards along the inner axis") == (count > 1));
    }
}

TEST_CASE("tiles work in place and on overlapping memory", "[host_loops]") {
    const std::int64_t side = 130;
    const Dims shape{side, side};
    const auto values = numbers(side * side, 8);
    const ElementwiseKernel add("T x, T y", "T z", "z = x + y", "add_turned");
    std::vector<std::int32_t> expected(values.size());
    for (std::int64_t row = 0; row < side; ++row) {
        for (std::int64_t column = 0; column < side; ++column) {
            expected[static_cast<std::size_t>(row * side + column)] =
                values[static_cast<std::size_t>(row * side + column)] +
                values[static_cast<std::size_t>(column * side + row)];
        }
    }
    SECTION("the output is an input") {
        const Array x = from_vector(values, shape, {host});
        const Array y = from_vector(values, shape, {host}).transpose();
        add(x, y, out(x));
        CHECK(elements<std::int32_t>(x) == expected);
    }
    SECTION("the output is the other input, turned") {
        const Array x = from_vector(values, shape, {host});
        add(x.transpose(), x, out(x));
        CHECK(elements<std::int32_t>(x) == expected);
    }
}

TEST_CASE("a division by zero within a tile has its place in the user's text", "[host_loops]") {
    const Dims shape{100, 100};
    std::vector<std::int32_t> values(10000, 3);
    const Array x = from_vector(values, shape, {host}).transpose();
    values[7777] = 0;
    const Array y = from_vector(values, shape, {host});
    const ScopedVariable forced("KGEN_LOOP", "tiles");
    const ElementwiseKernel ratio("T x, T y", "T z", "z = 1 + x / y", "ratio");
    REQUIRE(runs_tiles(ratio, {x, y}));
    CHECK(KGEN_MESSAGE_OF(Error, ratio(x, y)) ==
          "kernel 'ratio': integer division by zero: 3 / 0 at ratio (operation)(1:11)");
}

TEST_CASE("a body that keeps state runs in rows", "[host_loops]") {
    const ElementwiseKernel sums(
        "T x, T y", "T z", "total += x; z = y", "sums", {.loop_prep = "int total = 0"});
    const Array x = zeros({100, 100}, int32, {host});
    const std::vector<Argument> arguments = {x.transpose(), x};
    CHECK_FALSE(runs_tiles(sums, arguments));
    CHECK(
        has_part(sums.explain(arguments, {}, {.device = host}).plan,
                 "order: elements run in the order of the axes, because the body may keep state"));
}

TEST_CASE("explain names the host's loop and why", "[host_loops]") {
    const Array x = zeros({100, 200}, int32, {host});
    const auto lines = [&](const Array& a, const Array& b) {
        const std::vector<Argument> arguments = {a, b};
        return combine().explain(arguments, {}, {.device = host}).plan;
    };
    const Array square = zeros({300, 300}, int32, {host});
    CHECK(has_part(lines(square.transpose(), square),
                   "tiles of 64 by 64 over the two inner of 2 axes"));
    CHECK(
        has_part(lines(square.transpose(), square),
                 "because: arrays share cache lines along another axis than the innermost one: the "
                 "elements of a cache line are used while it is in the cache"));
    const std::string rows =
        "because: any other layout: the innermost axis is a plain loop, and the others are counted";
    CHECK(has_part(lines(x, x), rows));
    const Array few = zeros({7, 100}, int32, {host});
    const Array turned = zeros({100, 7}, int32, {host}).transpose();
    CHECK(has_part(lines(turned, few), rows));
}

TEST_CASE("an element's value does not depend on how a loop is shared", "[host_loops]") {
    // One call for all rows, then calls for single rows, which threads share in other ranges.
    const ElementwiseKernel kernel("T x, T y", "T z", "z = exp(x) + sin(y)", "shared_out");
    const std::int64_t rows = 331;
    const std::int64_t columns = 1009;
    std::vector<float> values(static_cast<std::size_t>(rows * columns));
    for (std::size_t k = 0; k < values.size(); ++k)
        values[k] = static_cast<float>(k % 10007) * 0.001F - 5;
    const Array x = from_vector(values, {rows, columns}, {Device::host()});
    const Array y = from_vector(std::vector<float>(values.begin(), values.begin() + columns),
                                {1, columns},
                                {Device::host()});
    const std::vector<float> whole = kernel(x, y).to_vector<float>();
    for (std::int64_t row = 0; row < rows; row += 30) {
        const Array part = x.slice({Range{row, row + 1}});
        const std::vector<float> one = kernel(part, y).to_vector<float>();
        CHECK(std::equal(one.begin(), one.end(), whole.begin() + row * columns));
    }
}
