// SPDX-License-Identifier: MIT
//
// Raw parameters: the body indexes them, they are never broadcast, and any element can be read and written.
#include <algorithm>
#include <cstdint>
#include <kgen/kgen.hpp>
#include <numeric>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/placed.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

std::vector<std::int32_t> counted(std::int64_t count) {
    std::vector<std::int32_t> values(static_cast<std::size_t>(count));
    std::iota(values.begin(), values.end(), 0);
    return values;
}

// Layouts of a 3 x 4 int32 array.
const std::vector<Layout>& layouts() {
    static const std::vector<Layout> list = {{"C order", {16, 4}},
                                             {"F order", {4, 12}},
                                             {"sliced", {32, 8}},
                                             {"backwards", {-16, -4}},
                                             {"padded columns", {4, -20}},
                                             {"one row, broadcast", {0, 4}}};
    return list;
}

// Returns the values in C order that an array with this layout shows of counted(12).
std::vector<std::int32_t> shown(const Layout& layout) {
    if (layout.strides[0] != 0) return counted(12);
    return {8, 9, 10, 11, 8, 9, 10, 11, 8, 9, 10, 11};
}

}  // namespace

TEST_CASE("a raw array is indexed in C order whatever its layout") {
    const ElementwiseKernel take("int64 at, raw int32 x", "int32 z", "z = x[at]", "take");
    const ElementwiseKernel reverse(
        "raw int32 x", "int32 z", "z = x[x.size() - 1 - i]", "reverse_raw");
    for (const Device device : present_devices()) {
        for (const Layout& layout : layouts()) {
            INFO(to_text(device) << ", " << layout.name);
            const Placed x = place<std::int32_t>(device, counted(12), {3, 4}, layout.strides);
            const auto values = shown(layout);
            const Array at = from_vector<std::int64_t>({11, 0, 5, 5, 6}, {device});
            CHECK(
                elements<std::int32_t>(take(at, x.array)) ==
                std::vector<std::int32_t>{values[11], values[0], values[5], values[5], values[6]});
            CHECK(elements<std::int32_t>(reverse(x.array, size(12))) ==
                  std::vector<std::int32_t>(values.rbegin(), values.rend()));
        }
    }
}

TEST_CASE("a raw array is indexed by the loop's indices and by arrays of one's own") {
    const ElementwiseKernel same(
        "int32 x, raw int32 y", "int32 z", "z = x + 100 * y[_ind.get()]", "same_place");
    const ElementwiseKernel turned(
        "raw int32 x",
        "int32 z",
        "const ptrdiff_t* at = _ind.get(); ptrdiff_t own[] = {at[1], at[0]}; z = x[own]",
        "turned");
    const ElementwiseKernel braced(
        "raw int32 x", "int32 z", "z = x[{_ind.get()[1], _ind.get()[0]}]", "braced");
    for (const Device device : present_devices()) {
        for (const Layout& layout : layouts()) {
            INFO(to_text(device) << ", " << layout.name);
            const Placed x = place<std::int32_t>(device, counted(12), {3, 4}, layout.strides);
            const auto values = shown(layout);
            std::vector<std::int32_t> both;
            for (std::int32_t k = 0; k < 12; ++k)
                both.push_back(k + 100 * values[static_cast<std::size_t>(k)]);
            const Array dense = from_vector(counted(12), {3, 4}, {device});
            CHECK(elements<std::int32_t>(same(dense, x.array)) == both);

            std::vector<std::int32_t> transposed;
            for (std::size_t column = 0; column < 4; ++column) {
                for (std::size_t row = 0; row < 3; ++row)
                    transposed.push_back(values[row * 4 + column]);
            }
            const Array given = zeros({4, 3}, int32, {device});
            turned(x.array, out(given));
            CHECK(elements<std::int32_t>(given) == transposed);
            const Array sliced = zeros({4, 6}, int32, {device}).slice({{}, {0, 6, 2}});
            braced(x.array, out(sliced));
            CHECK(elements<std::int32_t>(sliced) == transposed);
        }
    }
}

TEST_CASE("a raw array tells its size, shape and strides in bytes") {
    const ElementwiseKernel facts(
        "raw int32 x",
        "int64 z",
        "z = i == 0 ? x.size() : i <= x.ndim ? x.shape()[i - 1] : x.strides()[i - 1 - x.ndim]",
        "facts");
    for (const Device device : present_devices()) {
        for (const Layout& layout : layouts()) {
            INFO(to_text(device) << ", " << layout.name);
            const Placed x = place<std::int32_t>(device, counted(12), {3, 4}, layout.strides);
            CHECK(elements<std::int64_t>(facts(x.array, size(5))) ==
                  std::vector<std::int64_t>{12, 3, 4, layout.strides[0], layout.strides[1]});
        }
        const Array point = from_vector<std::int32_t>({42}, {device}).reshape({});
        CHECK(elements<std::int64_t>(facts(point, size(1))) == std::vector<std::int64_t>{1});
        CHECK(elements<std::int32_t>(ElementwiseKernel(
                  "raw int32 x", "int32 z", "z = x[0]", "point")(point, size(2))) ==
              std::vector<std::int32_t>{42, 42});
        const Array nothing = empty({0, 3}, int32, {device});
        CHECK(elements<std::int64_t>(facts(nothing, size(3))) ==
              std::vector<std::int64_t>{0, 0, 3});
    }
}

TEST_CASE("a raw output is written at any place") {
    const ElementwiseKernel scatter("int64 at, int32 x", "raw int32 z", "z[at] = x", "scatter");
    const ElementwiseKernel fill("", "raw int32 z", "z[i] = (int)(i * i + n)", "fill_raw");
    const ElementwiseKernel count(
        "raw int32 x", "raw int32 bins", "atomicAdd(&bins[x[i] % 3], 1)", "count_bins");
    for (const Device device : present_devices()) {
        for (const Layout& layout : layouts()) {
            if (layout.strides[0] == 0) continue;
            INFO(to_text(device) << ", " << layout.name);
            const Placed z = place<std::int32_t>(
                device, std::vector<std::int32_t>(12, -1), {3, 4}, layout.strides);
            const Array at = from_vector<std::int64_t>({11, 2, 7}, {device});
            const Array x = from_vector<std::int32_t>({5, 6, 7}, {device});
            scatter(at, x, out(z.array));
            CHECK(z.values<std::int32_t>() ==
                  std::vector<std::int32_t>{-1, -1, 6, -1, -1, -1, -1, 7, -1, -1, -1, 5});
            CHECK(z.is_clean_around());
            fill(out(z.array), size(12));
            std::vector<std::int32_t> squares;
            for (std::int32_t k = 0; k < 12; ++k) squares.push_back(k * k + 12);
            CHECK(z.values<std::int32_t>() == squares);
        }
        const Array bins = zeros({3}, int32, {device});
        count(from_vector(counted(100000), {device}), bins, size(100000));
        CHECK(elements<std::int32_t>(bins) == std::vector<std::int32_t>{33334, 33333, 33333});
    }
}

TEST_CASE("a kernel without outputs may write a _non_const raw input") {
    const ElementwiseKernel mark(
        "raw _non_const int32 x", "", "if (i % 2) x[i] = -x[i]", "mark_odd");
    for (const Device device : present_devices()) {
        const Array x = from_vector(counted(6), {device});
        CHECK_FALSE(mark(x, size(6)).has_value());
        CHECK(elements<std::int32_t>(x) == std::vector<std::int32_t>{0, -1, 2, -3, 4, -5});
    }
}

TEST_CASE("neighbours in a raw array make a blur with clamped borders") {
    const ElementwiseKernel blur(
        "raw float32 x",
        "float32 z",
        "const ptrdiff_t rows = x.shape()[0], columns = x.shape()[1];\n"
        "const ptrdiff_t row = _ind.get()[0], column = _ind.get()[1];\n"
        "float sum = 0;\n"
        "for (int dr = -1; dr <= 1; ++dr) {\n"
        "    for (int dc = -1; dc <= 1; ++dc) {\n"
        "        ptrdiff_t at[2] = {min(max(row + dr, (ptrdiff_t)0), rows - 1),\n"
        "                           min(max(column + dc, (ptrdiff_t)0), columns - 1)};\n"
        "        sum += x[at];\n"
        "    }\n"
        "}\n"
        "z = sum",
        "blur");
    for (const Device device : present_devices()) {
        const std::int64_t rows = 19;
        const std::int64_t columns = 33;
        std::vector<float> values;
        for (std::int64_t k = 0; k < rows * columns; ++k)
            values.push_back(static_cast<float>(k * k % 97));
        std::vector<float> expected;
        for (std::int64_t row = 0; row < rows; ++row) {
            for (std::int64_t column = 0; column < columns; ++column) {
                float sum = 0;
                for (std::int64_t dr = -1; dr <= 1; ++dr) {
                    for (std::int64_t dc = -1; dc <= 1; ++dc) {
                        const auto r = std::clamp<std::int64_t>(row + dr, 0, rows - 1);
                        const auto c = std::clamp<std::int64_t>(column + dc, 0, columns - 1);
                        sum += values[static_cast<std::size_t>(r * columns + c)];
                    }
                }
                expected.push_back(sum);
            }
        }
        for (const Dims& strides :
             {c_order({rows, columns}, 4), f_order({rows, columns}, 4), Dims{columns * 12, 8}}) {
            INFO(to_text(device) << ", strides " << to_text(strides));
            const Placed x = place<float>(device, values, {rows, columns}, strides);
            const Array z = zeros({rows, columns}, float32, {device});
            blur(x.array, out(z));
            CHECK(elements<float>(z) == expected);
        }
    }
}

TEST_CASE("_ind has the full rank of the broadcast shape") {
    const ElementwiseKernel digits("T x, T y",
                                   "int32 z",
                                   "const ptrdiff_t* at = _ind.get(); z = (int)(at[0] * 100 + "
                                   "at[1] * 10 + at[2]); z += (int)(x + y) * 0",
                                   "digits");
    for (const Device device : present_devices()) {
        std::vector<std::int32_t> expected;
        for (int a = 0; a < 2; ++a) {
            for (int b = 0; b < 3; ++b) {
                for (int c = 0; c < 4; ++c) expected.push_back(a * 100 + b * 10 + c);
            }
        }
        const Array row = zeros({4}, float32, {device});
        const Array rest = zeros({2, 3, 1}, float32, {device});
        CHECK(elements<std::int32_t>(digits(row, rest)) == expected);
        const Array turned = zeros({4, 3, 2}, float32, {device}).transpose();
        CHECK(elements<std::int32_t>(digits(turned, row)) == expected);
        // CuPy's way to change the index in the body.
        CHECK(elements<std::int64_t>(ElementwiseKernel(
                  "raw float32 x",
                  "int64 z",
                  "_ind.set(n - 1 - i); z = _ind.get()[0] + _ind.size()",
                  "moved")(row, size(4))) == std::vector<std::int64_t>{7, 6, 5, 4});
    }
}

TEST_CASE("an input is seen as _raw_name too") {
    const ElementwiseKernel smooth("T x", "T z", "z = x + _raw_x[i == 0 ? i : i - 1]", "smooth");
    for (const Device device : present_devices()) {
        for (const Dims& strides : {Dims{4}, Dims{12}, Dims{-4}}) {
            const Placed x = place<float>(device, std::vector<float>{1, 2, 4, 8}, {4}, strides);
            CHECK(elements<float>(smooth(x.array)) == std::vector<float>{2, 3, 6, 12});
        }
    }
}
