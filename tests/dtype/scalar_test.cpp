// SPDX-License-Identifier: MIT
#include <array>
#include <cmath>
#include <cstring>
#include <kgen/scalar.hpp>
#include <limits>
#include <string>

#include "support/catch.hpp"

using namespace kgen;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr auto least_int64 = std::numeric_limits<std::int64_t>::min();
constexpr auto largest_int64 = std::numeric_limits<std::int64_t>::max();
constexpr auto largest_uint64 = std::numeric_limits<std::uint64_t>::max();

// Converts the scalar to T. The test fails if it cannot be converted.
template <typename T>
T converted(const Scalar& scalar) {
    T value{};
    const std::string problem = convert_scalar(scalar, dtype_of<T>(), &value);
    INFO(problem);
    CHECK(problem.empty());
    return value;
}

// Returns why the scalar cannot be converted. The test fails if bytes were written nevertheless.
std::string refusal(const Scalar& scalar, DType dtype) {
    std::array<unsigned char, 16> bytes;
    bytes.fill(0xa5);
    const auto before = bytes;
    std::string problem = convert_scalar(scalar, dtype, bytes.data());
    CHECK(bytes == before);
    return problem;
}

}  // namespace

TEST_CASE("integers convert where they are representable", "[scalar]") {
    CHECK(converted<std::int8_t>(-128) == -128);
    CHECK(converted<std::int8_t>(127u) == 127);
    CHECK(converted<std::uint8_t>(255) == 255);
    CHECK(converted<std::int64_t>(least_int64) == least_int64);
    CHECK(converted<std::uint64_t>(largest_uint64) == largest_uint64);
    CHECK(converted<std::uint64_t>(largest_int64) == 9223372036854775807u);
    CHECK(converted<std::int32_t>(true) == 1);
    CHECK(converted<bool>(1) == true);
    CHECK(converted<bool>(0u) == false);
    CHECK(converted<bool>(true) == true);
}

TEST_CASE("a float converts to an integer where it is one", "[scalar]") {
    CHECK(converted<std::int32_t>(3.0) == 3);
    CHECK(converted<std::int32_t>(-3.0f) == -3);
    CHECK(converted<std::int64_t>(-0x1p63) == least_int64);
    CHECK(converted<std::uint64_t>(0x1p63) == 0x8000000000000000u);
    CHECK(converted<std::uint8_t>(-0.0) == 0);
    CHECK(converted<bool>(1.0) == true);
    CHECK(converted<std::int16_t>(half_t(12.0f)) == 12);
}

TEST_CASE("numbers round once to the nearest real value", "[scalar]") {
    CHECK(converted<float>(0.1) == 0.1f);
    CHECK(converted<float>(16777217) == 16777216.0f);
    CHECK(converted<double>(largest_int64) == 0x1p63);
    CHECK(converted<half_t>(65519) == 65504.0f);
    CHECK(std::isnan(converted<float>(not_a_number)));
    CHECK(converted<half_t>(-infinity).bits == 0xfc00);
    CHECK(std::signbit(converted<float>(-0.0)));
    // Just above the midpoint of two float16 numbers. Rounding to float first would lose the excess.
    CHECK(converted<half_t>(1.0 + 0x1p-11 + 0x1p-40).bits == 0x3c01);
    CHECK(converted<half_t>(1.0 + 0x1p-11).bits == 0x3c00);
    CHECK(converted<half_t>(1.0 + 3 * 0x1p-11 - 0x1p-40).bits == 0x3c01);
    CHECK(converted<half_t>(0x1p-25 + 0x1p-60).bits == 1);
    CHECK(converted<half_t>(1e-300).bits == 0);
    CHECK(converted<bfloat16_t>(-1.0 - 0x1p-8 - 0x1p-40).bits == 0xbf81);
    // The same for an integer: 2^62 + 2^54 is the midpoint of two bfloat16 numbers.
    CHECK(converted<bfloat16_t>(0x4040000000000000).bits == 0x5e80);
    CHECK(converted<bfloat16_t>(0x4040000000000001).bits == 0x5e81);
    CHECK(converted<bfloat16_t>(-0x4040000000000001).bits == 0xde81);
}

TEST_CASE("numbers convert to complex with an imaginary part of zero", "[scalar]") {
    CHECK(converted<std::complex<float>>(2) == std::complex<float>(2, 0));
    CHECK(converted<std::complex<double>>(2.5f) == std::complex<double>(2.5, 0));
    CHECK(converted<std::complex<float>>(std::complex<double>(1, -2)) ==
          std::complex<float>(1, -2));
    CHECK(std::isinf(converted<std::complex<float>>(std::complex<double>(1, infinity)).imag()));
}

TEST_CASE("a scalar that would lose more than rounding is refused with the reason", "[scalar]") {
    struct Row {
        Scalar scalar;
        DType dtype;
        std::string_view message;
    };
    const Row rows[] = {
        {300, int8, "300 does not fit int8 (-128 to 127)"},
        {-129, int8, "-129 does not fit int8 (-128 to 127)"},
        {-1, uint8, "-1 does not fit uint8 (0 to 255)"},
        {40000, int16, "40000 does not fit int16 (-32768 to 32767)"},
        {largest_uint64,
         int64,
         "18446744073709551615 does not fit int64 (-9223372036854775808 to 9223372036854775807)"},
        {least_int64,
         uint64,
         "-9223372036854775808 does not fit uint64 (0 to 18446744073709551615)"},
        {2, bool_, "2 does not fit bool (0 or 1)"},
        {-1, bool_, "-1 does not fit bool (0 or 1)"},
        {2.0, bool_, "2.0 does not fit bool (0 or 1)"},
        {0.5, bool_, "0.5 does not fit bool (it is not an integer)"},
        {2.5, int32, "2.5 does not fit int32 (it is not an integer)"},
        {0.1f, int32, "0.1 does not fit int32 (it is not an integer)"},
        {3e9, int32, "3000000000.0 does not fit int32 (-2147483648 to 2147483647)"},
        {1e300, uint8, "1e+300 does not fit uint8 (0 to 255)"},
        {0x1p63,
         int64,
         "9.223372036854776e+18 does not fit int64 (-9223372036854775808 to 9223372036854775807)"},
        {not_a_number, int32, "nan does not fit int32 (it is not finite)"},
        {-infinity, uint64, "-inf does not fit uint64 (it is not finite)"},
        {1e300, float32, "1e+300 does not fit float32 (largest 3.40282e+38)"},
        {-1e300, complex64, "-1e+300 does not fit complex64 (largest 3.40282e+38)"},
        {std::complex<double>(0, 1e39),
         complex64,
         "(0+1e+39j) does not fit complex64 (largest 3.40282e+38)"},
        {70000, float16, "70000 does not fit float16 (largest 65504)"},
        {65520.0f, float16, "65520.0 does not fit float16 (largest 65504)"},
        {3.4e38f, bfloat16, "3.4e+38 does not fit bfloat16 (largest 3.38953e+38)"},
        {std::complex<double>(1, 2), float64, "(1+2j) does not fit float64 (it is complex)"},
        {std::complex<float>(1, 0), float32, "(1+0j) does not fit float32 (it is complex)"},
        {std::complex<float>(1, 0), int32, "(1+0j) does not fit int32 (it is complex)"},
        {std::complex<float>(1, 0), bool_, "(1+0j) does not fit bool (it is complex)"},
    };
    for (const Row& row : rows) CHECK(refusal(row.scalar, row.dtype) == row.message);
}

TEST_CASE("scalars print shortly and exactly", "[scalar]") {
    CHECK(to_text(Scalar(5)) == "5");
    CHECK(to_text(Scalar(-5LL)) == "-5");
    CHECK(to_text(Scalar(largest_uint64)) == "18446744073709551615");
    CHECK(to_text(Scalar(true)) == "true");
    CHECK(to_text(Scalar(false)) == "false");
    CHECK(to_text(Scalar(2.5)) == "2.5");
    CHECK(to_text(Scalar(5.0)) == "5.0");
    CHECK(to_text(Scalar(-0.0)) == "-0.0");
    CHECK(to_text(Scalar(0.1f)) == "0.1");
    CHECK(to_text(Scalar(half_t(0.1f))) == "0.1");
    CHECK(to_text(Scalar(bfloat16_t(3.14f))) == "3.14");
    CHECK(to_text(Scalar(5e-324)) == "5e-324");
    CHECK(to_text(Scalar(half_t::from_bits(1))) == "6e-08");
    CHECK(to_text(Scalar(not_a_number)) == "nan");
    CHECK(to_text(Scalar(-infinity)) == "-inf");
    CHECK(to_text(Scalar(std::complex<double>(1, 2))) == "(1+2j)");
    CHECK(to_text(Scalar(std::complex<float>(0.1f, -0.0f))) == "(0.1-0j)");
    CHECK(to_text(Scalar(std::complex<double>(not_a_number, -infinity))) == "(nan-infj)");
}
