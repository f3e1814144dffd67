// SPDX-License-Identifier: MIT
//
// How float16 and bfloat16 are rounded: all numbers, and on a GPU all pairs of numbers. A GPU computes them by
// instructions for narrow types or by approximations in float, which must not change the result.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <kgen/kgen.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

// All bit patterns.
template <typename T>
std::vector<T> all_numbers() {
    std::vector<T> list(65536);
    for (std::size_t k = 0; k < list.size(); ++k) list[k].bits = static_cast<std::uint16_t>(k);
    return list;
}

// The largest error of a function over all numbers, in units in the last place of T.
template <typename T>
double largest_error(const std::string& function, double (*exact)(double), Device device) {
    const std::vector<T> numbers = all_numbers<T>();
    const ElementwiseKernel kernel("T x", "T y", "y = " + function + "(x)", function + "_of_all");
    const std::vector<T> results =
        kernel(from_vector(numbers, {.device = device})).template to_vector<T>();
    double worst = 0;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
        const double expected = exact(static_cast<double>(static_cast<float>(numbers[k])));
        const T rounded(static_cast<float>(expected));
        const auto value = static_cast<double>(static_cast<float>(results[k]));
        if (std::isnan(expected)) {
            if (!std::isnan(value)) return INFINITY;
            continue;
        }
        if (results[k].bits == rounded.bits) {
            worst = std::max(worst, 0.5);
            continue;
        }
        // The distance from the nearest number to the next one.
        T next = rounded;
        ++next.bits;
        const double unit = std::abs(static_cast<double>(static_cast<float>(next)) -
                                     static_cast<double>(static_cast<float>(rounded)));
        worst = std::max(worst, std::abs(value - expected) / unit);
    }
    return worst;
}

template <typename T>
void check_functions(Device device) {
    CHECK(largest_error<T>(
              "sqrt", [](double x) { return std::sqrt(x); }, device) == 0.5);
    CHECK(largest_error<T>(
              "exp", [](double x) { return std::exp(x); }, device) < 0.51);
    CHECK(largest_error<T>(
              "exp2", [](double x) { return std::exp2(x); }, device) < 0.51);
}

// Counts the pairs of x and y for which an operation differs from that in float64. float64 rounds products and quotients
// twice without changing them; the sum of numbers that are far apart may fall into the middle of two narrow numbers, so
// float64 must be rounded to odd, which the remainder of the sum tells.
std::int64_t count_wrong(char operation, DType dtype, std::int64_t step, Device device) {
    const std::string preamble = fmt::format(
        R"(
template <class T> __device__ T exact(T x, T y) {{
    const double a = x, b = y, z = a {0} b;
    if ('{0}' != '+' && '{0}' != '-') return T(z);
    const double other = '{0}' == '+' ? b : -b, part = z - a, rest = (a - (z - part)) + (other - part);
    long long bits = __double_as_longlong(z);
    if (rest != 0 && rest == rest && !(bits & 1)) bits += (rest > 0) == (z > 0) ? 1 : -1;
    return T(__longlong_as_double(bits));
}}
template <class T> __device__ int differs(T x, T y) {{
    const T z = x {0} y, w = exact(x, y);
    return z.to_bits() != w.to_bits() && !(isnan(z) && isnan(w));
}})",
        operation);
    const ReductionKernel count("uint16 a, uint16 b, T type",
                                "int64 wrong",
                                "differs(T::from_bits(a), T::from_bits(b))",
                                "a + b",
                                "wrong = a",
                                "0",
                                "count_wrong",
                                {.reduce_type = "long long", .preamble = preamble});
    const DeviceScope scope(device);
    const Array all = astype(arange(65536, int32), uint16);
    const Array some = astype(arange(0, 65536, step), uint16);
    return count(some.reshape({-1, 1}), all, zeros({1}, dtype)).item<std::int64_t>();
}

// The number of elements of which a function of bits of rounded numbers is wrong. Vectors are stored, of which ptxas packs pairs.
template <typename T>
std::int64_t count_wrong_bits(const std::string& function,
                              std::uint16_t (*exact)(std::uint16_t),
                              Device device) {
    std::vector<float> numbers(1 << 17);
    for (std::size_t k = 0; k < numbers.size(); ++k)
        numbers[k] = static_cast<float>(static_cast<double>(k * 40503 % 131071) / 65536 - 1);
    const ElementwiseKernel kernel(
        "float32 x, T type", "T y", "const T t(x); y = " + function, "bits_of_rounded");
    const Array type = from_vector(std::vector<T>(1), {.device = device});
    const std::vector<T> results =
        kernel(from_vector(numbers, {.device = device}), type).template to_vector<T>();
    std::int64_t wrong = 0;
    for (std::size_t k = 0; k < numbers.size(); ++k)
        wrong += results[k].bits != exact(T(numbers[k]).bits);
    return wrong;
}

template <typename T>
void check_bits(Device device) {
    using Bits = std::uint16_t;
    CHECK(count_wrong_bits<T>(
              "fabs(t)", [](Bits x) { return Bits(x & 0x7fff); }, device) == 0);
    CHECK(count_wrong_bits<T>(
              "abs(t)", [](Bits x) { return Bits(x & 0x7fff); }, device) == 0);
    CHECK(count_wrong_bits<T>(
              "-t", [](Bits x) { return Bits(x ^ 0x8000); }, device) == 0);
    CHECK(count_wrong_bits<T>(
              "copysign(t, T(-1))", [](Bits x) { return Bits(x | 0x8000); }, device) == 0);
    CHECK(count_wrong_bits<T>(
              "copysign(T(0), t)", [](Bits x) { return Bits(x & 0x8000); }, device) == 0);
    CHECK(count_wrong_bits<T>(
              "nextafter(T(0), t)",
              [](Bits x) { return Bits((x & 0x7fff) == 0 ? x : (x & 0x8000) | 1); },
              device) == 0);
    CHECK(count_wrong_bits<T>(
              "T(isnan(t) + 2 * isinf(t) + 4 * isfinite(t))",
              [](Bits) { return T(4.0F).bits; },
              device) == 0);
    CHECK(count_wrong_bits<T>(
              "T(signbit(t))", [](Bits x) { return T(x >> 15 != 0 ? 1.0F : 0.0F).bits; }, device) ==
          0);
}

}  // namespace

TEST_CASE("the sign of rounded narrow numbers is as set, also in vectors",
          "[elementwise][narrow]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        check_bits<half_t>(device);
        check_bits<bfloat16_t>(device);
    }
}

TEST_CASE("roots of narrow types are rounded once, exponentials almost", "[elementwise][narrow]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        check_functions<half_t>(device);
        check_functions<bfloat16_t>(device);
    }
}

TEST_CASE("arithmetic of narrow types is rounded once, for all pairs of numbers",
          "[elementwise][narrow]") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        // The host takes every 251st number as the first one.
        const std::int64_t step = device.kind() == DeviceKind::cuda ? 1 : 251;
        for (const DType dtype : {float16, bfloat16}) {
            for (const char operation : {'+', '-', '*', '/'}) {
                INFO(to_text(dtype) << ' ' << operation);
                CHECK(count_wrong(operation, dtype, step, device) == 0);
            }
        }
    }
}
