// SPDX-License-Identifier: MIT
#include <bit>
#include <cmath>
#include <kgen/half.hpp>
#include <limits>

#include "support/catch.hpp"

using namespace kgen;

namespace {

// The definition of a 16-bit float: a sign bit, exponent bits and fraction bits.
struct Format {
    int fraction_bits;
    int exponent_bits;
};
constexpr Format binary16{10, 5};
constexpr Format brain16{7, 8};

double value_of(unsigned pattern, Format format) {
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    const unsigned fraction_mask = (1u << format.fraction_bits) - 1;
    const int exponent = static_cast<int>((pattern & 0x7fff) >> format.fraction_bits);
    const auto fraction = static_cast<double>(pattern & fraction_mask);
    const double sign = (pattern & 0x8000) != 0 ? -1.0 : 1.0;
    if (exponent == (1 << format.exponent_bits) - 1) {
        return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                             : std::numeric_limits<double>::quiet_NaN();
    }
    if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - format.fraction_bits);
    return sign * std::ldexp(fraction + fraction_mask + 1, exponent - bias - format.fraction_bits);
}

// Counts the bit patterns of T whose value as a float differs from the definition.
template <typename T>
int wrong_values(Format format) {
    int wrong = 0;
    for (unsigned pattern = 0; pattern < 0x10000; ++pattern) {
        const float got = T::from_bits(static_cast<std::uint16_t>(pattern));
        const double expected = value_of(pattern, format);
        const bool right = std::isnan(expected) ? std::isnan(got)
                                                : static_cast<double>(got) == expected &&
                                                      std::signbit(got) == std::signbit(expected);
        wrong += right ? 0 : 1;
    }
    return wrong;
}

// Counts rounding errors. Rounding is determined by the midpoint of each pair of neighbours:
// the midpoint goes to the even pattern, the floats beside it to the nearer neighbour. The pair
// (largest, infinity) is tested separately, because value_of() does not know where it splits.
template <typename T>
int wrong_roundings(Format format) {
    const auto bits_of = [](double x) { return T(static_cast<float>(x)).bits; };
    const unsigned infinity = ((1u << format.exponent_bits) - 1) << format.fraction_bits;
    int wrong = 0;
    for (unsigned sign = 0; sign <= 0x8000; sign += 0x8000) {
        for (unsigned pattern = sign; pattern < sign + infinity - 1; ++pattern) {
            const double low = value_of(pattern, format);
            const double high = value_of(pattern + 1, format);
            const double middle = (low + high) / 2;  // exact in float
            const auto middle_float = static_cast<float>(middle);
            const auto toward = [&](double to) {
                return static_cast<double>(std::nextafterf(middle_float, static_cast<float>(to)));
            };
            wrong += bits_of(low) != pattern;
            wrong += bits_of(middle) != (pattern & 1 ? pattern + 1 : pattern);
            wrong += bits_of(toward(low)) != pattern;
            wrong += bits_of(toward(high)) != pattern + 1;
        }
    }
    return wrong;
}

}  // namespace

TEST_CASE("all 65536 patterns of both types have the value of their definition", "[half]") {
    CHECK(wrong_values<half_t>(binary16) == 0);
    CHECK(wrong_values<bfloat16_t>(brain16) == 0);
}

TEST_CASE("floats round to the nearest of both types, to the even one from halfway", "[half]") {
    CHECK(wrong_roundings<half_t>(binary16) == 0);
    CHECK(wrong_roundings<bfloat16_t>(brain16) == 0);
}

TEST_CASE("what is beyond the largest value by half a step is infinite", "[half]") {
    CHECK(half_t(65504.0f).bits == 0x7bff);
    CHECK(half_t(std::nextafterf(65520.0f, 0.0f)).bits == 0x7bff);
    CHECK(half_t(65520.0f).bits == 0x7c00);
    CHECK(half_t(-65520.0f).bits == 0xfc00);
    CHECK(half_t(std::numeric_limits<float>::infinity()).bits == 0x7c00);
    CHECK(half_t(std::numeric_limits<float>::max()).bits == 0x7c00);
    CHECK(bfloat16_t(std::bit_cast<float>(0x7f7f7fffu)).bits == 0x7f7f);
    CHECK(bfloat16_t(std::bit_cast<float>(0x7f7f8000u)).bits == 0x7f80);
    CHECK(bfloat16_t(-std::numeric_limits<float>::max()).bits == 0xff80);
}

TEST_CASE("NaN stays NaN whatever its payload, and keeps its sign", "[half]") {
    for (const std::uint32_t word : {0x7fc00000u, 0x7f800001u, 0x7fffffffu, 0x7f801fffu}) {
        const auto nan = std::bit_cast<float>(word);
        INFO(word);
        CHECK((half_t(nan).bits & 0x7fff) > 0x7c00);
        CHECK((bfloat16_t(nan).bits & 0x7fff) > 0x7f80);
        CHECK((half_t(-nan).bits >> 15) == 1);
        CHECK((bfloat16_t(-nan).bits >> 15) == 1);
    }
}

TEST_CASE("a zero keeps its sign and what is too small becomes it", "[half]") {
    CHECK(half_t(-0.0f).bits == 0x8000);
    CHECK(half_t(0x1p-25f).bits == 0);  // midpoint of 0 and the smallest number
    CHECK(half_t(std::nextafterf(0x1p-25f, 1.0f)).bits == 1);
    CHECK(half_t(-std::numeric_limits<float>::denorm_min()).bits == 0x8000);
    CHECK(bfloat16_t(-0.0f).bits == 0x8000);
    CHECK(bfloat16_t(std::numeric_limits<float>::denorm_min()).bits == 0);
}
