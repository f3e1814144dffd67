// SPDX-License-Identifier: MIT
//
// The host's loops over arrays whose neighbours in memory are not neighbours of a row: steps backwards, planes, and short axes within
// the rows of a reduction. Compared with plain loops over indices.
#include <algorithm>
#include <cstdint>
#include <kgen/kgen.hpp>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/host_loops.hpp"
#include "support/placed.hpp"
#include "support/rounds.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

std::string source_of(const ElementwiseKernel& kernel,
                      const std::vector<Argument>& arguments,
                      const Array& output) {
    return kernel.explain(arguments, {.outputs = std::vector<Array>{output}}).source;
}

}  // namespace

TEST_CASE("rows whose arrays step backwards are right", "[host_loops]") {
    const ElementwiseKernel plain("T x, T y", "T z", "z = 3 * x + y", "stepped");
    const ElementwiseKernel counted(
        "T x, T y", "T z", "z = 3 * x + y + i % 5 + _ind.get()[0] % 3", "stepped_counted");
    const auto check = [&](auto tag, const Dims& shape, std::int64_t step, std::int64_t out_step) {
        using T = decltype(tag);
        INFO(to_text(dtype_of<T>())
             << " " << to_text(shape) << " by steps of " << step << " to " << out_step);
        const auto item = static_cast<std::int64_t>(sizeof(T));
        const auto strides = [&](std::int64_t inner) {
            Dims list = Dims::filled(shape.rank(), inner * item);
            if (shape.rank() > 1) list[0] = shape[1] * std::abs(inner) * item + 2 * item;
            return list;
        };
        std::vector<T> x, y, sums, counts;
        for (std::int64_t k = 0; k < count_of(shape); ++k) {
            x.push_back(static_cast<T>(k % 19));
            y.push_back(static_cast<T>(k % 7));
            sums.push_back(static_cast<T>(3 * x.back() + y.back()));
            const std::int64_t first = k / (count_of(shape) / shape[0]);
            counts.push_back(static_cast<T>(sums.back() + static_cast<T>(k % 5 + first % 3)));
        }
        const Placed a = place<T>(host, x, shape, strides(step));
        const Placed b = place<T>(host, y, shape, strides(1));
        const Placed z = place<T>(host, y, shape, strides(out_step));
        plain(a.array, b.array, out(z.array));
        CHECK(z.values<T>() == sums);
        counted(a.array, b.array, out(z.array));
        CHECK(z.values<T>() == counts);
        CHECK(z.is_clean_around());
        // The loop walks such rows from their ends, so that the compiler sees a short step forwards.
        const std::string wanted = "kgen_row_x + kgen_k * " + std::to_string(-step);
        CHECK(has_part(source_of(plain, {a.array, b.array}, z.array), wanted) == (step >= -4));
    };
    for (const std::int64_t step : {-2, -3, -4, -5}) {
        for (const std::int64_t out_step : {1, -1}) {
            check(std::uint8_t(), {1031}, step, out_step);
            check(std::int32_t(), {1031}, step, out_step);
            check(std::int32_t(), {5, 301}, step, out_step);
            check(double(), {3, 77}, step, out_step);
        }
    }
}

TEST_CASE("planes beside interleaved arrays are right", "[host_loops]") {
    const ElementwiseKernel add("T x, T y, T w", "T z", "z = x + 2 * y + w", "planes");
    // The second output lies in planes, and keeps its old value where x is odd.
    const ElementwiseKernel both("T x, T y, T w",
                                 "T z, T v",
                                 "z = x + 2 * y + w; if ((int)x % 2 == 0) v = x + w",
                                 "planes_out");
    const auto check = [&](auto tag, std::int64_t rows, std::int64_t planes) {
        using T = decltype(tag);
        const Dims shape{rows, planes};
        INFO(to_text(dtype_of<T>()) << " " << to_text(shape));
        const auto item = static_cast<std::int64_t>(sizeof(T));
        std::vector<T> x, y, w, sums;
        for (std::int64_t k = 0; k < rows * planes; ++k) {
            x.push_back(static_cast<T>(k % 31));
            y.push_back(static_cast<T>(k % 23));
            if (k < planes) w.push_back(static_cast<T>(k));
            sums.push_back(static_cast<T>(x.back() + 2 * y.back() + static_cast<T>(k % planes)));
        }
        // The planes of y have a gap, and follow each other backwards.
        const Placed a = place<T>(host, x, shape, {item, rows * item});
        const Placed b = place<T>(host, y, shape, {item, -(rows + 3) * item});
        const Array bias = from_vector(w, {planes}, {host});
        const Placed z = place<T>(host, x, shape, {planes * item, item});
        add(a.array, b.array, bias, out(z.array));
        CHECK(z.values<T>() == sums);
        CHECK(z.is_clean_around());
        std::vector<T> kept = y;
        for (std::size_t k = 0; k < kept.size(); ++k) {
            const auto plane = static_cast<T>(static_cast<std::int64_t>(k) % planes);
            if (static_cast<int>(x[k]) % 2 == 0) kept[k] = static_cast<T>(x[k] + plane);
        }
        const Placed v = place<T>(host, y, shape, {item, (rows + 1) * item});
        const Placed again = place<T>(host, x, shape, {planes * item, item});
        both(a.array, b.array, bias, out(again.array, v.array));
        CHECK(again.values<T>() == sums);
        CHECK(v.values<T>() == kept);
        CHECK(v.is_clean_around());
        const std::string source = source_of(add, {a.array, b.array, bias}, z.array);
        CHECK(has_part(source, "kgen_fill_planes<" + std::to_string(planes) + ">") ==
              (planes <= 16));
    };
    for (const std::int64_t planes : {2, 3, 4, 9, 16, 17}) {
        for (const std::int64_t rows : {101, 1000, 4099}) {
            check(std::uint8_t(), rows, planes);
            check(std::int16_t(), rows, planes);
            check(float(), rows, planes);
            check(double(), rows, planes);
        }
    }
}

TEST_CASE("narrow integers of short axes within rows do not overflow", "[host_reduction]") {
    // Chunks of rows are folded in 32 bits.
    const ReductionKernel sum("T x", "int64 y", "x", "a + b", "y = a", "0", "few_narrow");
    const auto check = [&](auto tag, std::int64_t few) {
        using T = decltype(tag);
        INFO(to_text(dtype_of<T>()) << ", " << few);
        const Dims shape{2, 16500, few};
        const auto item = static_cast<std::int64_t>(sizeof(T));
        const std::int64_t row = (few + 1) * item;
        for (const T value : {std::numeric_limits<T>::max(), std::numeric_limits<T>::min()}) {
            const Placed x =
                place<T>(host,
                         std::vector<T>(static_cast<std::size_t>(count_of(shape)), value),
                         shape,
                         {row * shape[1], row, item});
            const std::int64_t all = shape[1] * few * static_cast<std::int64_t>(value);
            CHECK(sum(x.array, axis(std::vector<int>{1, 2})).template to_vector<std::int64_t>() ==
                  std::vector<std::int64_t>{all, all});
        }
    };
    for (const std::int64_t few : {2, 3, 5, 8}) {
        check(std::uint16_t(), few);
        check(std::int16_t(), few);
        check(std::uint8_t(), few);
        check(std::int8_t(), few);
    }
}

TEST_CASE("short axes within the rows of a reduction are right", "[host_reduction]") {
    const unsigned seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto pick = [&](int low, int high) {
        return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
    };
    const ReductionKernel sum(
        "T x, T y", "int64 z", "(long long)x + y", "a + b", "z = a", "0", "few_sum");
    const ReductionKernel largest(
        "T x, T y", "T z", "x > y ? x : y", "a > b ? a : b", "z = a", "", "few_max");
    int few_used = 0;
    const auto check = [&](auto tag, const Dims& shape) {
        using T = decltype(tag);
        INFO(to_text(dtype_of<T>()) << " " << to_text(shape));
        const auto item = static_cast<std::int64_t>(sizeof(T));
        const std::int64_t kept = shape[0], row = shape[1], few = shape[2];
        std::vector<T> x, y, maxima;
        std::vector<std::int64_t> sums;
        for (std::int64_t k = 0; k < count_of(shape); ++k) {
            x.push_back(static_cast<T>(random() % 101));
            // The second input is the same in all places of the row.
            y.push_back(k / few % row == 0 ? static_cast<T>(random() % 101)
                                           : y[y.size() - static_cast<std::size_t>(few)]);
            if (k % (row * few) == 0) {
                sums.push_back(0);
                maxima.push_back(std::max(x.back(), y.back()));
            }
            sums.back() +=
                static_cast<std::int64_t>(x.back()) + static_cast<std::int64_t>(y.back());
            maxima.back() = std::max({maxima.back(), x.back(), y.back()});
        }
        const Placed a = place<T>(host, x, shape, {row * (few + 1) * item, (few + 1) * item, item});
        const Placed b = place<T>(host, y, shape, {few * item, 0, item});
        const std::vector<int> axes =
            kept == 1 ? std::vector<int>{0, 1, 2} : std::vector<int>{1, 2};
        const Array all = sum(a.array, b.array, axis(axes));
        CHECK(all.to_vector<std::int64_t>() == sums);
        CHECK(elements<T>(largest(a.array, b.array, axis(axes))) == maxima);
        const std::string source = sum.explain({{a.array, b.array}}, {.axes = axes}).source;
        if (has_part(source, "kgen_few = " + std::to_string(few)) &&
            has_part(source, "kgen_few_rows"))
            ++few_used;
    };
    for (int trial = 0; trial < rounds(6); ++trial) {
        const Dims shape{trial % 2 == 0 ? 1 : pick(2, 40), pick(33, 300), pick(3, 8)};
        check(std::uint8_t(), shape);
        check(std::int16_t(), shape);
        check(float(), shape);
        check(double(), shape);
    }
    CHECK(few_used == 4 * rounds(6));
    // Several chunks, whose folds threads share.
    check(std::int16_t(), {1, 70001, 5});
    check(float(), {3, 30011, 7});
}
