// SPDX-License-Identifier: MIT
//
// The host's loop for short rows, compared with plain loops over indices.
#include <complex>
#include <cstdint>
#include <kgen/kgen.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/host_loops.hpp"
#include "support/placed.hpp"

using namespace kgen;
using namespace kgen::test;

TEST_CASE("rows of few elements are walked right", "[host_loops]") {
    const ElementwiseKernel plain(
        "T x, T y, T w, T v", "T z", "z = x - 3 * y + 7 * w + v", "narrow_rows");
    const ElementwiseKernel counted("T x, T y, T w, T v",
                                    "T z",
                                    "z = x - 3 * y + 7 * w + v + 5 * (int)i",
                                    "narrow_rows_counted");
    const ElementwiseKernel referred("T x, T y, T w, T v",
                                     "T z",
                                     "const T* p = &y; z = x - 3 * *p + 7 * w + v",
                                     "narrow_rows_referred");
    const auto at = [](std::int64_t k) { return static_cast<std::size_t>(k); };
    // 15 and 16 rows, and enough rows for several packs and a partial one at the end.
    for (const std::int64_t rows : {15, 16, 1009}) {
        for (std::int64_t columns = 1; columns <= 34; ++columns) {
            INFO(rows << " rows of " << columns);
            const Dims shape{2, rows, columns};
            const auto x_values = numbers(count_of(shape), 5);
            const auto y_values = numbers(2 * columns, 6);
            const auto w_values = numbers(rows, 7);
            const auto v_values = numbers(2 * count_of(shape), 8);
            const Array x = from_vector(x_values, shape, {host});
            const Array y = from_vector(y_values, {2, 1, columns}, {host});
            const Array w = from_vector(w_values, {rows, 1}, {host});
            const Array wide = from_vector(v_values, {2, rows, 2 * columns}, {host});
            const Array v = wide.slice({Range{}, Range{}, Range{{}, {}, 2}});
            std::vector<std::int32_t> expected;
            std::vector<std::int32_t> with_index;
            for (std::int64_t k = 0; k < count_of(shape); ++k) {
                const std::int64_t column = k % columns;
                const std::int64_t row = k / columns % rows;
                const std::int64_t slab = k / columns / rows;
                expected.push_back(x_values[at(k)] - 3 * y_values[at(slab * columns + column)] +
                                   7 * w_values[at(row)] + v_values[at(2 * k)]);
                with_index.push_back(expected.back() + static_cast<std::int32_t>(5 * k));
            }
            CHECK(elements<std::int32_t>(plain(x, y, w, v)) == expected);
            CHECK(elements<std::int32_t>(counted(x, y, w, v)) == with_index);
            CHECK(elements<std::int32_t>(referred(x, y, w, v)) == expected);
            if (columns == 1 || columns == 3 || columns == 34) {
                // If both slabs have the same y, short rows of up to 32 elements are copied.
                const Array same = y.slice({Range{0, 1}});
                CHECK(contains(explained(plain, {x, same, w, w}), "short rows, many at once") ==
                      (columns == 3 && rows >= 16));
            }
        }
    }
}

TEST_CASE("which rows are few is a matter of their elements and of what moves", "[host_loops]") {
    const auto is_short = [](const Array& x, const Array& y) {
        return contains(explained(combine(), {x, y}), "short rows, many at once");
    };
    const auto array = [](Dims shape) { return zeros(shape, int32, {host}); };
    for (const std::int64_t columns : {2, 5, 6, 31, 32, 33}) {
        INFO(columns);
        CHECK(is_short(array({100, columns}), array({columns})) == (columns <= 32));
        CHECK(is_short(array({100, columns}), array({100, 1})) == (columns <= 5));
        CHECK_FALSE(is_short(array({15, columns}), array({columns})));
        CHECK(is_short(array({16, columns}), array({columns})) == (columns <= 32));
    }
}

TEST_CASE("short rows of every dtype are right", "[host_loops]") {
    const auto check = [](auto tag) {
        using T = decltype(tag);
        INFO(to_text(dtype_of<T>()));
        std::vector<Held<T>> row;
        std::vector<Held<T>> expected;
        for (int k = 0; k < 5; ++k) {
            if constexpr (std::is_same_v<T, bool>) {
                row.push_back(k % 2 == 0 ? 0 : 1);
            } else {
                row.push_back(static_cast<T>(static_cast<float>(k + 1)));
            }
        }
        for (int k = 0; k < 5 * 700; ++k) expected.push_back(row[static_cast<std::size_t>(k % 5)]);
        const ElementwiseKernel select("T x, T y", "T z", "z = x == x ? y : x", "select");
        const Placed y =
            place<T>(host, row, {1, 5}, c_order({1, 5}, static_cast<std::int64_t>(sizeof(T))));
        const Array z = select(zeros({700, 5}, dtype_of<T>(), {host}), y.array);
        CHECK((elements<T>(z) == expected));
    };
    for_plain_types(check);
}

TEST_CASE("a division by zero within short rows has its place in the user's text", "[host_loops]") {
    std::vector<std::int32_t> values(3000, 3);
    values[2001] = 0;
    const Array y = from_vector(values, {1000, 3}, {host});
    const Array x = from_vector(std::vector<std::int32_t>{5, 6, 7}, {host});
    const ElementwiseKernel ratio("T x, T y", "T z", "z = 1 + x / y", "ratio");
    CHECK(KGEN_MESSAGE_OF(Error, ratio(x, y)) ==
          "kernel 'ratio': integer division by zero: 5 / 0 at ratio (operation)(1:11)");
}
