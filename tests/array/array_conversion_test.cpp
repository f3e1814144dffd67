// SPDX-License-Identifier: MIT
#include <cmath>
#include <complex>
#include <cstring>
#include <kgen/array.hpp>
#include <limits>
#include <random>
#include <vector>

#include "dtype/conversion.hpp"
#include "support/catch.hpp"

using namespace kgen;

namespace {

const ArrayOptions on_host{.device = Device::host()};
constexpr double infinity = std::numeric_limits<double>::infinity();

Array range(std::int64_t count) {
    return arange(count, int32, on_host);
}

}  // namespace

TEST_CASE("astype converts between all pairs of dtypes") {
    // 0, 1, 2 and 100 are exact in every dtype but bool.
    const std::vector<double> numbers = {0, 1, 2, 100};
    for (int from = 0; from < dtype_count; ++from) {
        const Array source =
            from_vector(numbers, {2, 2}, on_host).astype(static_cast<DType>(from)).transpose();
        for (int to = 0; to < dtype_count; ++to) {
            INFO(to_text(source.dtype()) << " to " << to_text(static_cast<DType>(to)));
            const Array converted = source.astype(static_cast<DType>(to));
            REQUIRE(converted.dtype() == static_cast<DType>(to));
            CHECK(converted.is_contiguous(Order::f));
            const bool any_bool = source.dtype() == bool_ || converted.dtype() == bool_;
            const std::vector<double> expected =
                any_bool ? std::vector<double>{0, 1, 1, 1} : std::vector<double>{0, 2, 1, 100};
            CHECK(converted.astype(float64).to_vector<double>() == expected);
        }
    }
}

TEST_CASE("floats beyond an integer type become its nearest end, and NaN 0") {
    const Array x = from_vector(
        std::vector<double>{-infinity, -1e30, -1.9, 2.9, 300, 1e30, infinity, std::nan("")},
        on_host);
    CHECK(x.astype(int8).to_vector<std::int8_t>() ==
          std::vector<std::int8_t>{-128, -128, -1, 2, 127, 127, 127, 0});
    CHECK(x.astype(uint8).to_vector<std::uint8_t>() ==
          std::vector<std::uint8_t>{0, 0, 0, 2, 255, 255, 255, 0});
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    CHECK(x.astype(int64).to_vector<std::int64_t>() ==
          std::vector<std::int64_t>{-most - 1, -most - 1, -1, 2, 300, most, most, 0});
    constexpr auto all = std::numeric_limits<std::uint64_t>::max();
    CHECK(x.astype(float32).astype(uint64).to_vector<std::uint64_t>() ==
          std::vector<std::uint64_t>{0, 0, 0, 2, 300, all, all, 0});
    CHECK(x.astype(bool_).to_vector<std::uint8_t>() == std::vector<std::uint8_t>(8, 1));
}

TEST_CASE("integers wrap, complex to real drops the imaginary part, to bool keeps it") {
    CHECK(from_vector(std::vector<int>{-1, 256, 511}, on_host)
              .astype(uint8)
              .to_vector<std::uint8_t>() == std::vector<std::uint8_t>{255, 0, 255});
    const Array z =
        from_vector(std::vector<std::complex<double>>{{1.5, 2}, {0, 3}, {0, 0}}, on_host);
    CHECK(z.astype(float32).to_vector<float>() == std::vector<float>{1.5f, 0, 0});
    CHECK(z.astype(int16).to_vector<std::int16_t>() == std::vector<std::int16_t>{1, 0, 0});
    CHECK(z.astype(bool_).to_vector<std::uint8_t>() == std::vector<std::uint8_t>{1, 1, 0});
    CHECK(z.astype(complex64)[1].item<std::complex<float>>() == std::complex<float>{0, 3});
}

TEST_CASE("conversions to float16 and bfloat16 round once") {
    // The neighbouring float16 values are 1 and 1 + 2^-10. A value just above their midpoint becomes
    // the midpoint when it is rounded to float. A second rounding would then go down to the even value.
    CHECK(static_cast<float>(convert_value<half_t>(1 + 0x1p-11 + 0x1p-40)) == 1 + 0x1p-10f);
    CHECK(static_cast<float>(convert_value<half_t>(1 + 0x1p-11)) == 1);
    CHECK(static_cast<float>(convert_value<half_t>(1 + 0x1p-11 - 0x1p-40)) == 1);
    CHECK(static_cast<float>(convert_value<bfloat16_t>(-(1 + 0x1p-8 + 0x1p-45))) == -(1 + 0x1p-7f));
    CHECK(static_cast<float>(convert_value<bfloat16_t>(
              (std::int64_t{1} << 62) + (std::int64_t{1} << 54) + 1)) == 0x1p62f + 0x1p55f);
    CHECK(static_cast<float>(convert_value<bfloat16_t>((std::uint64_t{1} << 63) +
                                                       (std::uint64_t{1} << 55))) == 0x1p63f);
    CHECK(static_cast<float>(convert_value<bfloat16_t>(std::numeric_limits<std::int64_t>::min())) ==
          -0x1p63f);
    CHECK(std::isinf(static_cast<float>(convert_value<half_t>(65520.0))));
    CHECK(static_cast<float>(convert_value<half_t>(65519.999999999)) == 65504);
    CHECK(std::isinf(static_cast<float>(convert_value<bfloat16_t>(1e300))));
    CHECK(std::isnan(static_cast<float>(convert_value<bfloat16_t>(std::nan("")))));
}

TEST_CASE("float64 to float16 gives the nearest half, ties to even, for any number") {
    std::mt19937_64 random(3);
    const auto value_of = [](unsigned bits) {
        return static_cast<double>(
            static_cast<float>(half_t::from_bits(static_cast<std::uint16_t>(bits))));
    };
    for (int round = 0; round < 20000; ++round) {
        const auto below = static_cast<unsigned>(random() % 0x7bff);
        const double low = value_of(below);
        const double high = value_of(below + 1);
        const double middle = (low + high) / 2;
        const unsigned even = below % 2 == 0 ? below : below + 1;
        REQUIRE(convert_value<half_t>(middle).bits == even);
        REQUIRE(convert_value<half_t>(std::nextafter(middle, low)).bits == below);
        REQUIRE(convert_value<half_t>(std::nextafter(middle, high)).bits == below + 1);
    }
}

TEST_CASE("bytes other than 0 and 1 in foreign bool memory count as true") {
    unsigned char bytes[3] = {0, 2, 255};
    const Array x = Array::view(static_cast<void*>(bytes), bool_, {3}, {.device = Device::host()});
    CHECK(x.astype(int32).to_vector<int>() == std::vector<int>{0, 1, 1});
    CHECK(to_text(x) == "[False  True  True]");
}

TEST_CASE("copy gives C or Fortran order, astype keeps the order of the axes in memory") {
    const Array x = range(24).reshape({2, 3, 4});
    CHECK(x.copy(Order::f).strides() == Dims{4, 8, 24});
    CHECK(x.copy(Order::f).to_vector<int>() == x.to_vector<int>());
    const Array y = x.transpose({1, 0, 2});
    CHECK(y.copy().strides() == Dims{32, 16, 4});
    CHECK(y.copy().to_vector<int>() == y.to_vector<int>());
    CHECK(y.astype(float64).strides() == Dims{32, 96, 8});
    CHECK(y.astype(int32).strides() == y.strides());
    CHECK(y.astype(int32).data() != y.data());
    CHECK(y.astype(int32).to_vector<int>() == y.to_vector<int>());
    CHECK(x.transpose().slice({{.step = -2}}).astype(int8).strides() == Dims{1, 2, 6});
    CHECK(x.ascontiguous().data() == x.data());
    CHECK(y.ascontiguous().is_contiguous());
    CHECK(x.to(Device::host()).data() == x.data());
}

TEST_CASE("axes of extent 1 with odd strides do not disturb a copy") {
    std::int32_t memory[12];
    for (int k = 0; k < 12; ++k) memory[k] = k;
    const Array x = Array::view(static_cast<void*>(memory),
                                int32,
                                {3, 1, 4},
                                {.device = Device::host(), .strides = Dims{4, 0, 12}});
    const std::vector<int> expected = {0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11};
    CHECK(x.copy().to_vector<int>() == expected);
    CHECK(x.copy(Order::f).to_vector<int>() == expected);
    CHECK(x.astype(int32).to_vector<int>() == expected);
    CHECK(x.astype(int64).astype(int32).to_vector<int>() == expected);
}

TEST_CASE("assign broadcasts and converts") {
    const Array x = zeros({2, 3}, float32, on_host);
    x.assign(range(3));
    CHECK(x.to_vector<float>() == std::vector<float>{0, 1, 2, 0, 1, 2});
    x.transpose().slice({{.step = -1}}).assign(range(2));
    CHECK(x.to_vector<float>() == std::vector<float>{0, 0, 0, 1, 1, 1});
    CHECK(KGEN_MESSAGE_OF(ShapeError, x.assign(range(2))) ==
          "shape (2,) does not broadcast to (2, 3): axis 1 is 2 against 3");
    CHECK(KGEN_MESSAGE_OF(ShapeError, x.as_read_only().assign(range(3))) ==
          "assign: the array is read-only; assign to a copy()");
    const Array same =
        Array::view(x.data(), float32, {4}, {.device = Device::host(), .strides = Dims{0}});
    CHECK(
        KGEN_MESSAGE_OF(ShapeError, same.assign(range(4))) ==
        "assign: the array overlaps itself: stride 0 along axis 0 of extent 4; assign to a copy()");
}

TEST_CASE("assign gives the answer of a source that was copied first, however the two overlap") {
    std::mt19937 random(4);
    for (int round = 0; round < 300; ++round) {
        const Array x = range(40);
        const auto part = [&] {
            const auto start = static_cast<std::int64_t>(random() % 20);
            const std::int64_t step = random() % 2 == 0 ? 1 : 2;
            const Array piece =
                x.slice({{.start = start, .stop = start + 10 * step, .step = step}});
            return random() % 2 == 0 ? piece : piece.slice({{.step = -1}});
        };
        const Array destination = part();
        const Array source = part();
        const std::vector<int> expected = source.to_vector<int>();
        destination.assign(source);
        REQUIRE(destination.to_vector<int>() == expected);
    }
    // Another dtype views the same bytes.
    const Array x = range(4);
    const Array bits = Array::view(x.data(), float32, {4}, {.device = Device::host()});
    bits.assign(x);
    CHECK(bits.to_vector<float>() == std::vector<float>{0, 1, 2, 3});
}

TEST_CASE("large arrays are copied in any order of their axes") {
    const Array x = range(3 * 70 * 150).reshape({3, 70, 150});
    const std::vector<Dims> orders = {{0, 2, 1}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}, {1, 0, 2}};
    for (const Dims& order : orders) {
        Array y = x.transpose(order);
        if (order[0] == 2) y = y.slice({{.step = -1}});
        INFO(to_text(order));
        const std::vector<int> copied = y.copy().to_vector<int>();
        const std::vector<double> converted = y.copy().astype(float64).to_vector<double>();
        bool all_equal = true;
        std::size_t next = 0;
        for (std::int64_t a = 0; a < y.shape()[0]; ++a) {
            for (std::int64_t b = 0; b < y.shape()[1]; ++b) {
                for (std::int64_t c = 0; c < y.shape()[2]; ++c, ++next) {
                    const auto* address = static_cast<const std::byte*>(y.data()) +
                                          a * y.strides()[0] + b * y.strides()[1] +
                                          c * y.strides()[2];
                    const int element = *reinterpret_cast<const int*>(address);
                    all_equal = all_equal && copied[next] == element &&
                                converted[next] == static_cast<double>(element);
                }
            }
        }
        CHECK(all_equal);
        const Array target = zeros(y.shape(), float64, on_host);
        target.assign(y);
        CHECK(target.astype(int32).to_vector<int>() == copied);
    }
}
