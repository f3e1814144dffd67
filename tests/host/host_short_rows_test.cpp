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
#include "support/scoped_variable.hpp"

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
                // If both slabs have the same y, it is copied once; w is copied for rows of up to 8 elements.
                const Array same = y.slice({Range{0, 1}});
                CHECK(has_part(explained(plain, {x, same, w, w}), "short rows, many at once") ==
                      (columns == 3));
            }
        }
    }
}

TEST_CASE("which rows are few is a matter of their elements and of what moves", "[host_loops]") {
    const auto is_short = [](const Array& x, const Array& y) {
        return has_part(explained(combine(), {x, y}), "short rows, many at once");
    };
    const auto array = [](Dims shape) { return zeros(shape, int32, {host}); };
    for (const std::int64_t columns : {2, 8, 9, 32, 33, 64, 65}) {
        INFO(columns);
        const Array every_other =
            array({3000, 3 * columns}).slice({Range{}, Range{0, 2 * columns, 2}});
        CHECK(is_short(array({3000, columns}), array({columns})) == (columns <= 64));
        CHECK(is_short(array({3000, columns}), array({3000, 1})) == (columns <= 8));
        CHECK(is_short(array({3000, columns}), every_other) == (columns <= 32));
        CHECK_FALSE(is_short(array({3, columns}), array({columns})));
    }
    // Rows along the long axis, if more arrays are contiguous along it.
    const Array turned = array({2, 3000}).transpose();
    CHECK(has_part(explained(combine(), {turned, turned.slice({Range{}, Range{{}, {}, -1}})}),
                   "rows over 2 axes"));
}

TEST_CASE("outputs of short rows may be strided, and may be read", "[host_loops]") {
    const ScopedVariable forced("KGEN_LOOP", "short_rows");
    const ElementwiseKernel add("T x", "T y, T z", "y += x; z = y - 2 * x", "add_short");
    for (const std::int64_t columns : {3, 7}) {
        const Dims shape{50, 6, columns};
        const auto values = numbers(count_of(shape), 5);
        const Array x = from_vector(values, shape, {host});
        const Array y =
            zeros({50, 6, 2 * columns}, int32, {host}).slice({Range{}, Range{}, Range{{}, {}, 2}});
        const Array z =
            zeros({6, 50, columns}, int32, {host}).transpose({1, 0, 2}).slice({Range{{}, {}, -1}});
        for (std::int32_t round = 1; round <= 3; ++round) {
            add.call<2>(x, out(y), out(z));
            std::vector<std::int32_t> sums;
            std::vector<std::int32_t> others;
            for (const std::int32_t value : values) {
                sums.push_back(round * value);
                others.push_back((round - 2) * value);
            }
            CHECK(elements<std::int32_t>(y.copy()) == sums);
            CHECK(elements<std::int32_t>(z.copy()) == others);
        }
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
