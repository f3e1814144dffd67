// SPDX-License-Identifier: MIT
//
// Tests the results of elementwise kernels: examples from CuPy's documentation, outputs that the caller
// gives, in-place calls, overlapping arrays, in-out parameters, scalars, sizes and streams.
#include <cstdint>
#include <kgen/kgen.hpp>
#include <numeric>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/placed.hpp"
#include "support/small_arrays.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

std::vector<float> counted(std::int64_t count) {
    std::vector<float> values(static_cast<std::size_t>(count));
    std::iota(values.begin(), values.end(), 0.0f);
    return values;
}

}  // namespace

TEST_CASE("the kernels of the introduction give CuPy's documented results") {
    const ElementwiseKernel squared_diff(
        "T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff");
    const ElementwiseKernel reversed(
        "T x, raw T y", "T z", "z = x + y[_ind.size() - i - 1]", "reversed");
    const ElementwiseKernel split(
        "T x", "T lo, T hi", "lo = x < 0 ? x : T(0); hi = x < 0 ? T(0) : x", "split");
    for (const Device device : present_devices()) {
        const Array x = floats(counted(10), {2, 5}, device);
        const Array y = floats(counted(5), {5}, device);
        const Array z = squared_diff(x, y);
        CHECK(z.shape() == Dims{2, 5});
        CHECK(z.dtype() == float32);
        CHECK(z.device() == device);
        CHECK(elements<float>(z) == std::vector<float>{0, 0, 0, 0, 0, 25, 25, 25, 25, 25});
        CHECK(to_text(z) == "[[ 0.  0.  0.  0.  0.]\n [25. 25. 25. 25. 25.]]");

        const Array given = zeros({2, 5}, float32, {device});
        CHECK(squared_diff(x, 5, out(given)).data() == given.data());
        CHECK(elements<float>(given) == std::vector<float>{25, 16, 9, 4, 1, 0, 1, 4, 9, 16});
        CHECK(elements<float>(squared_diff(x, y, given)) ==
              elements<float>(z));  // an output by position, as in CuPy

        const Array line = floats({10, 20, 30, 40, 50}, {5}, device);
        CHECK(elements<float>(reversed(y, line)) == std::vector<float>{50, 41, 32, 23, 14});

        const Array mixed = floats({-2, 3, 0, -5}, {4}, device);
        const auto [lo, hi] = split.call<2>(mixed);
        CHECK(elements<float>(lo) == std::vector<float>{-2, 0, 0, -5});
        CHECK(elements<float>(hi) == std::vector<float>{0, 3, 0, 0});
    }
}

TEST_CASE("three placeholders take three dtypes") {
    const ElementwiseKernel kernel("T x, U y", "V z", "z = (x - y) * (x - y)", "generic");
    for (const Device device : present_devices()) {
        const Array x = from_vector<std::uint8_t>({1, 2, 250}, {device});
        const Array y = from_vector<double>({0.5, 4, -1}, {device});
        const Array z = zeros({3}, float32, {device});
        kernel(x, y, out(z));
        CHECK(elements<float>(z) == std::vector<float>{0.25f, 4, 63001});
    }
}

TEST_CASE("a kernel may write over its inputs") {
    const ElementwiseKernel axpy("T a, T x, T y", "T z", "z = a * x + y", "axpy");
    for (const Device device : present_devices()) {
        const Array y = floats({1, 2, 3, 4, 5, 6}, {2, 3}, device);
        const Array x = floats({10, 20, 30}, {3}, device);
        axpy(2, x, y, out(y));
        CHECK(elements<float>(y) == std::vector<float>{21, 42, 63, 24, 45, 66});
        axpy(1, y, y, out(y));
        CHECK(elements<float>(y) == std::vector<float>{42, 84, 126, 48, 90, 132});
        const Array turned = y.transpose();
        axpy(-1, turned, 0, out(turned));
        CHECK(elements<float>(y) == std::vector<float>{-42, -84, -126, -48, -90, -132});
    }
}

TEST_CASE("an output that overlaps an input gives what NumPy gives") {
    const ElementwiseKernel increment("T x", "T y", "y = x + 100", "shift");
    const ElementwiseKernel add("T x, T w", "T y", "y = x + w", "add_overlapped");
    for (const Device device : present_devices()) {
        const std::int64_t count = 5000;
        const auto original = counted(count);
        const auto at = [&](std::int64_t k) { return original[static_cast<std::size_t>(k)]; };
        {
            INFO(to_text(device) << ": towards the end");
            const Array x = floats(original, {count}, device);
            increment(x.slice({{0, count - 1}}), out(x.slice({{1, count}})));
            std::vector<float> expected = {0};
            for (std::int64_t k = 1; k < count; ++k) expected.push_back(at(k - 1) + 100);
            CHECK(elements<float>(x) == expected);
        }
        {
            INFO(to_text(device) << ": towards the start, two inputs");
            const Array x = floats(original, {count}, device);
            add(x.slice({{1, count}}), x.slice({{0, count - 1}}), out(x.slice({{0, count - 1}})));
            std::vector<float> expected;
            for (std::int64_t k = 0; k + 1 < count; ++k) expected.push_back(at(k + 1) + at(k));
            expected.push_back(at(count - 1));
            CHECK(elements<float>(x) == expected);
        }
        {
            INFO(to_text(device) << ": backwards");
            const Array x = floats(original, {count}, device);
            increment(x.slice({{std::nullopt, std::nullopt, -1}}), out(x));
            std::vector<float> expected;
            for (std::int64_t k = 0; k < count; ++k) expected.push_back(at(count - 1 - k) + 100);
            CHECK(elements<float>(x) == expected);
        }
        {
            INFO(to_text(device) << ": transposed");
            const Array x = floats(counted(64 * 64), {64, 64}, device);
            increment(x.transpose(), out(x));
            std::vector<float> expected;
            for (int row = 0; row < 64; ++row) {
                for (int column = 0; column < 64; ++column)
                    expected.push_back(static_cast<float>(column * 64 + row + 100));
            }
            CHECK(elements<float>(x) == expected);
        }
        {
            INFO(to_text(device) << ": a row of the output, broadcast");
            const Array x = floats({1, 2, 3, 10, 20, 30}, {2, 3}, device);
            add(x[1], x, out(x));
            CHECK(elements<float>(x) == std::vector<float>{11, 22, 33, 20, 40, 60});
        }
        {
            INFO(to_text(device) << ": neighbours without a common byte");
            const Array x = floats(counted(8), {8}, device);
            increment(x.slice({{0, 8, 2}}), out(x.slice({{1, 8, 2}})));
            CHECK(elements<float>(x) == std::vector<float>{0, 100, 2, 102, 4, 104, 6, 106});
        }
        {
            INFO(to_text(device) << ": the same bytes as another dtype");
            const Array x = floats({1, 2, 3, 4}, {4}, device);
            const Array bits = Array::view(x.data(), int32, {4}, {.device = device});
            ElementwiseKernel("float32 x", "int32 y", "y = (int)x * 3", "retyped")(x, out(bits));
            CHECK(elements<std::int32_t>(bits) == std::vector<std::int32_t>{3, 6, 9, 12});
        }
        {
            INFO(to_text(device) << ": narrower elements over wider ones");
            const Array x = floats({1, 2, 3, 4}, {4}, device);
            const Array bytes = Array::view(x.data(), uint8, {4}, {.device = device});
            ElementwiseKernel("float32 x", "uint8 y", "y = (int)x * 3", "narrowed")(x, out(bytes));
            CHECK(elements<std::uint8_t>(bytes) == std::vector<std::uint8_t>{3, 6, 9, 12});
        }
    }
}

TEST_CASE("given outputs are read before they are written") {
    const ElementwiseKernel accumulate("T x", "T y", "y += x", "accumulate");
    const ElementwiseKernel sift("T x", "T y", "if (x > 2) y = x", "sift");
    for (const Device device : present_devices()) {
        const Array y = floats(counted(1025), {1025}, device);
        accumulate(floats(counted(1025), {1025}, device), out(y));
        accumulate(1, out(y));
        std::vector<float> expected = counted(1025);
        for (float& value : expected) value = 2 * value + 1;
        CHECK(elements<float>(y) == expected);

        const Placed kept =
            place<float>(device, std::vector<float>{7, 7, 7, 7, 7, 7}, {3, 2}, {4, 24});
        sift(floats({1, 2, 3, 4, 5, 6}, {3, 2}, device), out(kept.array));
        CHECK(kept.values<float>() == std::vector<float>{7, 7, 3, 4, 5, 6});
        CHECK(kept.is_clean_around());
    }
}

TEST_CASE("a _non_const input is written back") {
    const ElementwiseKernel swap(
        "_non_const T x, _non_const T y", "", "T t = x; x = y; y = t", "swap_values");
    const ElementwiseKernel drain("_non_const T x, T y", "T z", "z = x + y; x = 0", "drain");
    for (const Device device : present_devices()) {
        const Array x = floats({1, 2, 3}, {3}, device);
        const Array y = floats({4, 5, 6}, {3}, device);
        CHECK_FALSE(swap(x, y).has_value());
        CHECK(elements<float>(x) == std::vector<float>{4, 5, 6});
        CHECK(elements<float>(y) == std::vector<float>{1, 2, 3});
        CHECK(elements<float>(drain(x, y)) == std::vector<float>{5, 7, 9});
        CHECK(elements<float>(x) == std::vector<float>{0, 0, 0});
    }
}

TEST_CASE("several outputs of several dtypes are right") {
    const ElementwiseKernel parts(
        "float64 x",
        "int32 whole, float32 rest, bool negative, uint8 digit",
        "whole = (int)x; rest = x - whole; negative = x < 0; digit = x < 0 ? 0 : (int)x % 10",
        "parts");
    for (const Device device : present_devices()) {
        std::vector<double> values;
        for (int k = -300; k < 1000; ++k) values.push_back(k * 0.25);
        const auto results = parts.call<4>(from_vector(values, {device}));
        std::vector<std::int32_t> whole;
        std::vector<float> rest;
        std::vector<std::uint8_t> negative;
        std::vector<std::uint8_t> digit;
        for (const double value : values) {
            whole.push_back(static_cast<std::int32_t>(value));
            rest.push_back(static_cast<float>(value - whole.back()));
            negative.push_back(value < 0 ? 1 : 0);
            digit.push_back(static_cast<std::uint8_t>(value < 0 ? 0 : whole.back() % 10));
        }
        CHECK(elements<std::int32_t>(results[0]) == whole);
        CHECK(elements<float>(results[1]) == rest);
        CHECK(elements<bool>(results[2]) == negative);
        CHECK(elements<std::uint8_t>(results[3]) == digit);
    }
}

TEST_CASE("scalars take the parameter's type") {
    const ElementwiseKernel add("T x, T a", "T z", "z = x + a", "add_scalar");
    for (const Device device : present_devices()) {
        CHECK(elements<float>(add(floats({1, 2}, {2}, device), 0.1)) ==
              std::vector<float>{1.1f, 2.1f});
        CHECK(elements<std::uint8_t>(add(from_vector<std::uint8_t>({1, 2}, {device}), 200.0)) ==
              std::vector<std::uint8_t>{201, 202});
        CHECK(elements<std::int64_t>(
                  add(from_vector<std::int64_t>({1}, {device}), std::int64_t{1} << 60)) ==
              std::vector<std::int64_t>{(std::int64_t{1} << 60) + 1});
        CHECK(elements<std::complex<float>>(
                  add(from_vector<std::complex<float>>({{1, 2}}, {device}), 3)) ==
              std::vector<std::complex<float>>{{4, 2}});
        CHECK(elements<half_t>(add(from_vector<half_t>({half_t(1.0f)}, {device}), 0.5))
                  .front()
                  .bits == half_t(1.5f).bits);
        CHECK(elements<bool>(ElementwiseKernel("bool x, bool a", "bool z", "z = x && a", "both")(
                  from_vector<std::uint8_t>({0, 1}, {device}).astype(bool_), true)) ==
              std::vector<std::uint8_t>{0, 1});
    }
}

TEST_CASE("scalars alone name a placeholder, and a size makes the loop") {
    const ElementwiseKernel fill("T a", "T z", "z = a + (T)i", "fill_from");
    for (const Device device : present_devices()) {
        const DeviceScope scope(device);
        const Array integers = fill(5, size(3));
        CHECK(integers.device() == device);
        CHECK(elements<std::int32_t>(integers) == std::vector<std::int32_t>{5, 6, 7});
        CHECK(elements<double>(fill(0.5, size(2))) == std::vector<double>{0.5, 1.5});
        CHECK(fill(0.5f, size(0)).shape() == Dims{0});
        const Array given = zeros({2, 2}, int64, {device});
        fill(1, out(given));
        CHECK(elements<std::int64_t>(given) == std::vector<std::int64_t>{1, 2, 3, 4});
    }
}

TEST_CASE("the index and the count are right in every order of memory") {
    const ElementwiseKernel number("T x", "int64 z", "z = x * 0 + i * 1000 + n", "number");
    for (const Device device : present_devices()) {
        const Dims shape{3, 4};
        std::vector<std::int64_t> expected;
        for (std::int64_t k = 0; k < 12; ++k) expected.push_back(k * 1000 + 12);
        for (const Dims& strides :
             {Dims{16, 4}, Dims{4, 12}, Dims{-16, -4}, Dims{64, 8}, Dims{0, 4}}) {
            INFO(to_text(device) << ", strides " << to_text(strides));
            const Placed x = place<float>(device, std::vector<float>(12, 1), shape, strides);
            CHECK(elements<std::int64_t>(number(x.array)) == expected);
        }
    }
}

TEST_CASE("a parameter named n hides the count") {
    const ElementwiseKernel power(
        "T x, int32 n", "T z", "z = 1; for (int k = 0; k < n; ++k) z *= x", "power_n");
    for (const Device device : present_devices()) {
        CHECK(elements<float>(power(floats({2, 3}, {2}, device), 3)) == std::vector<float>{8, 27});
    }
}

TEST_CASE("loop_prep runs before a thread's elements and after_loop behind them") {
    const ElementwiseKernel total(
        "T x, raw T sums",
        "T z",
        "sum += x; z = sum > 0",
        "thread_sums",
        {.loop_prep = "T sum = 0; T* place = (T*)&sums[0]", .after_loop = "atomicAdd(place, sum)"});
    for (const Device device : present_devices()) {
        const Array sums = zeros({1}, int32, {device});
        total(from_vector(std::vector<std::int32_t>(300000, 1), {device}), sums);
        CHECK(elements<std::int32_t>(sums) == std::vector<std::int32_t>{300000});
    }
}

TEST_CASE("the preamble's functions, templates and types and the options' macros are seen") {
    const ElementwiseKernel kernel(
        "T x",
        "T z",
        "Pair<T> pair = {x, twice(x)}; z = pair.sum() + OFFSET + BASE",
        "preambled",
        {.preamble = "template <class V> struct Pair { V a, b; __device__ V sum() const { return a "
                     "+ b; } };\n"
                     "template <class V> __device__ V twice(V x) { return x + x; }\n"
                     "__device__ T thrice(T x) { return 3 * x; }\n"
                     "#define BASE thrice(T(1))",
         .options = {"-DOFFSET=10"}});
    for (const Device device : present_devices()) {
        CHECK(elements<float>(kernel(floats({1, 2}, {2}, device))) == std::vector<float>{16, 19});
        CHECK(elements<std::int16_t>(kernel(from_vector<std::int16_t>({5}, {device}))) ==
              std::vector<std::int16_t>{28});
    }
}

TEST_CASE("every way to define a macro by an option is seen, whatever the macro names") {
    for (const Device device : present_devices()) {
        for (const std::vector<std::string>& options :
             {std::vector<std::string>{"-DPLACE=i"},
              std::vector<std::string>{"-D", "PLACE=i"},
              std::vector<std::string>{"--define-macro=PLACE=i"}}) {
            INFO(to_text(device) << ", " << options.front());
            const ElementwiseKernel kernel(
                "T x", "T z", "z = x + PLACE", "by_option", {.options = options});
            CHECK(elements<float>(kernel(floats({5, 5, 5}, {3}, device))) ==
                  std::vector<float>{5, 6, 7});
        }
    }
}

TEST_CASE("block sizes and streams change nothing but how it runs") {
    const ElementwiseKernel increment("T x", "T y", "y = x + 1", "blocks");
    for (const Device device : present_devices()) {
        const auto values = counted(3001);
        std::vector<float> expected;
        for (const float value : values) expected.push_back(value + 1);
        const Array x = floats(values, {3001}, device);
        for (const int threads : {1, 7, 32, 128, 1000, 1024}) {
            INFO(to_text(device) << ", " << threads << " threads");
            CHECK(elements<float>(increment(x, block_size(threads))) == expected);
        }
        const Stream stream = Stream::create(device);
        const Array y = increment(x, on(stream));
        stream.synchronize();
        CHECK(elements<float>(y) == expected);
    }
}

TEST_CASE("a kernel knows its name and its parameters") {
    const ElementwiseKernel kernel("T x, T y", "T a, T b, T c", "a = b = c = x + y", "three");
    CHECK(kernel.name() == "three");
    CHECK(kernel.input_count() == 2);
    CHECK(kernel.output_count() == 3);
    CHECK(ElementwiseKernel("T x", "T y", "y = x").name() == "kernel");
}

TEST_CASE("more than 2^31 elements are indexed right") {
    if (!has_gpu()) {
        WARN("SKIPPED: no CUDA device");
        return;
    }
    const Device device = Device::cuda(0);
    const std::int64_t count = (std::int64_t{1} << 31) + 5;
    Array x;
    try {
        x = zeros({count}, uint8, {device});
    } catch (const DeviceError&) {
        WARN("SKIPPED: less than 8 GB of device memory");
        return;
    }
    const ElementwiseKernel mark("T x", "T y", "y = x + (i % 251)", "mark");
    const Array y = mark(x);
    const ElementwiseKernel plain("T x", "T y", "y = x + 7", "plain_mark");
    plain(x, out(x));
    for (const std::int64_t k : {std::int64_t{0},
                                 count / 2,
                                 std::int64_t{1} << 31,
                                 (std::int64_t{1} << 31) - 1,
                                 count - 1}) {
        INFO("element " << k);
        CHECK(elements<std::uint8_t>(y.slice({{k, k + 1}})) ==
              std::vector<std::uint8_t>{static_cast<std::uint8_t>(k % 251)});
        CHECK(elements<std::uint8_t>(x.slice({{k, k + 1}})) == std::vector<std::uint8_t>{7});
    }
    // Two elements that are 2^31 bytes apart: few elements, but large offsets.
    const Array far = Array::view(static_cast<std::byte*>(y.data()) + 1,
                                  uint8,
                                  {2},
                                  {.device = device, .strides = Dims{std::int64_t{1} << 31}});
    plain(far, out(far));
    CHECK(elements<std::uint8_t>(y.slice({{1, 2}})) == std::vector<std::uint8_t>{8});
    const std::int64_t second = (std::int64_t{1} << 31) + 1;
    CHECK(elements<std::uint8_t>(y.slice({{second, second + 1}})) ==
          std::vector<std::uint8_t>{static_cast<std::uint8_t>(second % 251 + 7)});
    const Array column = Array::view(
        y.data(), uint8, {2, 3}, {.device = device, .strides = Dims{std::int64_t{1} << 31, 1}});
    const ElementwiseKernel at("raw T x", "T z", "z = x[i]", "far_at");
    CHECK(elements<std::uint8_t>(at(column, size(6))) ==
          std::vector<std::uint8_t>{0,
                                    8,
                                    2,
                                    static_cast<std::uint8_t>((std::int64_t{1} << 31) % 251),
                                    static_cast<std::uint8_t>(second % 251 + 7),
                                    static_cast<std::uint8_t>((second + 1) % 251)});
}
