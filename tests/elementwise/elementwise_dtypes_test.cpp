// SPDX-License-Identifier: MIT
//
// Arithmetic between dtypes, conversions, complex numbers, and the math functions of every
// floating dtype compared with the C++ library in float64.
#include <cmath>
#include <complex>
#include <cstdint>
#include <kgen/kgen.hpp>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/devices.hpp"
#include "support/placed.hpp"

using namespace kgen;
using namespace kgen::test;

namespace {

using Complex = std::complex<double>;

template <typename T>
double as_double(T value) {
    if constexpr (std::is_same_v<T, half_t> || std::is_same_v<T, bfloat16_t>) {
        return static_cast<double>(static_cast<float>(value));
    } else {
        return static_cast<double>(value);
    }
}

// Relative error of half a unit in the last place.
template <typename T>
constexpr double rounding() {
    if (std::is_same_v<T, half_t>) return 0x1p-11;
    if (std::is_same_v<T, bfloat16_t>) return 0x1p-8;
    return std::is_same_v<T, float> ? 0x1p-24 : 0x1p-53;
}

struct Unary {
    const char* text;
    double (*reference)(double);
    double low, high;
};

double rsqrt_of(double x) {
    return 1 / std::sqrt(x);
}
double square_of(double x) {
    return x * x;
}
double cube_root_of_square(double x) {
    return std::pow(x, 2.0 / 3.0);
}

const std::vector<Unary>& unary_functions() {
    static const std::vector<Unary> list = {
        {"sqrt(x)", std::sqrt, 0.1, 50},  {"rsqrt(x)", rsqrt_of, 0.1, 50},
        {"exp(x)", std::exp, -5, 5},      {"log(x)", std::log, 2, 100},
        {"sin(x)", std::sin, 0.2, 1.4},   {"cos(x)", std::cos, -1, 1},
        {"tanh(x)", std::tanh, -3, 3},    {"fabs(x)", std::fabs, -3, 3},
        {"abs(x)", std::fabs, -3, 3},     {"floor(x)", std::floor, -9, 9},
        {"ceil(x)", std::ceil, -9, 9},    {"trunc(x)", std::trunc, -9, 9},
        {"x * x", square_of, -9, 9},      {"pow(x, T(2))", square_of, 0.5, 9},
        {"exp2(x)", std::exp2, -4, 4},    {"log2(x)", std::log2, 2, 99},
        {"log10(x)", std::log10, 2, 99},  {"log1p(x)", std::log1p, 0.5, 9},
        {"expm1(x)", std::expm1, 0.5, 3}, {"rint(x)", std::nearbyint, -9, 9},
    };
    return list;
}

const std::vector<Unary>& more_functions() {
    static const std::vector<Unary> list = {
        {"tan(x)", std::tan, 0.2, 1.2},
        {"asin(x)", std::asin, 0.1, 0.9},
        {"acos(x)", std::acos, 0.1, 0.9},
        {"atan(x)", std::atan, 0.1, 5},
        {"sinh(x)", std::sinh, 0.5, 3},
        {"cosh(x)", std::cosh, -3, 3},
        {"cbrt(x)", std::cbrt, 0.1, 50},
        {"erf(x)", std::erf, 0.2, 2},
        {"erfc(x)", std::erfc, -1, 1},
        {"tgamma(x)", std::tgamma, 1, 5},
        {"lgamma(x)", std::lgamma, 3, 9},
        {"asinh(x)", std::asinh, 0.2, 5},
        {"acosh(x)", std::acosh, 2, 9},
        {"atanh(x)", std::atanh, 0.1, 0.8},
        {"pow(x, T(2) / T(3))", cube_root_of_square, 0.5, 9},
    };
    return list;
}

// Runs all functions of a list in one kernel: function k computes output k.
template <typename T>
void check_functions(Device device, const std::vector<Unary>& functions, double tolerance) {
    const std::int64_t count = 257;
    std::string inputs;
    std::string outputs;
    std::string body;
    std::vector<Argument> arguments;
    std::vector<std::vector<T>> values;
    for (std::size_t f = 0; f < functions.size(); ++f) {
        const std::string number = std::to_string(f);
        inputs += (f == 0 ? "T a" : ", T a") + number;
        outputs += (f == 0 ? "T z" : ", T z") + number;
        body += "{ const T x = a" + number + "; z" + number + " = " + functions[f].text + "; }\n";
        std::vector<T> list;
        for (std::int64_t k = 0; k < count; ++k) {
            const double part = static_cast<double>(k) / static_cast<double>(count - 1);
            list.push_back(static_cast<T>(static_cast<float>(
                functions[f].low + part * (functions[f].high - functions[f].low))));
        }
        arguments.push_back(from_vector(list, {device}));
        values.push_back(std::move(list));
    }
    const ElementwiseKernel kernel(inputs, outputs, body, "functions");
    const std::vector<Array> results = kernel.call(arguments);
    for (std::size_t f = 0; f < functions.size(); ++f) {
        const auto got = elements<T>(results[f]);
        double worst = 0;
        double worst_at = 0;
        for (std::size_t k = 0; k < got.size(); ++k) {
            const double expected = functions[f].reference(as_double(values[f][k]));
            const double error =
                std::fabs(as_double(got[k]) - expected) / std::max(std::fabs(expected), 1e-30);
            const double off = expected == 0 && as_double(got[k]) == 0 ? 0 : error;
            if (!(off <= worst)) {
                worst = off;
                worst_at = as_double(values[f][k]);
            }
        }
        INFO(to_text(device) << ", " << to_text(dtype_of<T>()) << ": " << functions[f].text
                             << " at " << worst_at);
        CHECK(worst <= tolerance);
    }
}

}  // namespace

TEST_CASE("the math functions of every floating dtype are as good as the dtype") {
    for (const Device device : present_devices()) {
        for (const auto* functions : {&unary_functions(), &more_functions()}) {
            // CUDA's tgamma and lgamma are accurate to 11 and 6 units in the last place, the
            // other functions to 4.
            check_functions<float>(device, *functions, 24 * rounding<float>());
            check_functions<double>(device, *functions, 24 * rounding<double>());
        }
        check_functions<half_t>(device, unary_functions(), 2.5 * rounding<half_t>());
        check_functions<bfloat16_t>(device, unary_functions(), 2.5 * rounding<bfloat16_t>());
    }
}

TEST_CASE("functions of two and three arguments, integers and classes of floats are right") {
    for (const Device device : present_devices()) {
        const std::vector<float> x = {1.5f, -2.25f, 3, -0.5f, 100, 7};
        const std::vector<float> y = {2, 0.5f, -3, 4, 0.25f, 2.5f};
        const ElementwiseKernel two(
            "T x, T y",
            "T big, T small, T rest, T angle, T length, T fused, T copied, bool finite",
            "big = fmax(x, y); small = min(x, y); rest = fmod(x, y); angle = atan2(x, y); "
            "length = hypot(x, y); fused = fma(x, y, T(1)); copied = copysign(x, y); "
            "finite = isfinite(x / (y - T(2)))",
            "two");
        const auto results = two.call<8>(from_vector(x, {device}), from_vector(y, {device}));
        for (std::size_t k = 0; k < x.size(); ++k) {
            INFO(to_text(device) << ", x = " << x[k] << ", y = " << y[k]);
            CHECK(elements<float>(results[0])[k] == std::max(x[k], y[k]));
            CHECK(elements<float>(results[1])[k] == std::min(x[k], y[k]));
            CHECK(elements<float>(results[2])[k] == std::fmod(x[k], y[k]));
            CHECK(elements<float>(results[3])[k] == Approx(std::atan2(x[k], y[k])).epsilon(1e-6));
            CHECK(elements<float>(results[4])[k] == Approx(std::hypot(x[k], y[k])).epsilon(1e-6));
            CHECK(elements<float>(results[5])[k] == std::fma(x[k], y[k], 1.0f));
            CHECK(elements<float>(results[6])[k] == std::copysign(x[k], y[k]));
            CHECK(elements<bool>(results[7])[k] == (y[k] != 2 ? 1 : 0));
        }
        const std::vector<std::int32_t> a = {7, -7, 123456, -1};
        const std::vector<std::int32_t> b = {2, 2, 1000, 3};
        const ElementwiseKernel whole(
            "int32 a, int32 b",
            "int32 quotient, int32 rest, int32 big, int32 size, int32 bits",
            "quotient = a / b; rest = a % b; big = max(a, b); size = abs(a); bits = __popc(a) + (a "
            "<< 3 ^ b)",
            "whole");
        const auto integers = whole.call<5>(from_vector(a, {device}), from_vector(b, {device}));
        CHECK(elements<std::int32_t>(integers[0]) == std::vector<std::int32_t>{3, -3, 123, 0});
        CHECK(elements<std::int32_t>(integers[1]) == std::vector<std::int32_t>{1, -1, 456, -1});
        CHECK(elements<std::int32_t>(integers[2]) == std::vector<std::int32_t>{7, 2, 123456, 3});
        CHECK(elements<std::int32_t>(integers[3]) == std::vector<std::int32_t>{7, 7, 123456, 1});
        std::vector<std::int32_t> bits;
        for (std::size_t k = 0; k < a.size(); ++k) {
            bits.push_back(__builtin_popcount(static_cast<unsigned>(a[k])) + ((a[k] * 8) ^ b[k]));
        }
        CHECK(elements<std::int32_t>(integers[4]) == bits);
    }
}

TEST_CASE("dtypes mix as C++ mixes them") {
    for (const Device device : present_devices()) {
        INFO(to_text(device));
        const Array bytes = from_vector<std::uint8_t>({0, 1, 200, 255}, {device});
        const Array singles = from_vector<float>({0.5f, -1.25f, 1e9f, 3.5f}, {device});
        const Array longs = from_vector<std::int64_t>({1, -5, std::int64_t{1} << 40, 7}, {device});
        const Array doubles = from_vector<double>({0.25, 0.5, 1e-3, -7}, {device});
        CHECK(elements<float>(ElementwiseKernel("uint8 x", "float32 z", "z = x * 1.5f", "u8_f32")(
                  bytes)) == std::vector<float>{0, 1.5f, 300, 382.5f});
        CHECK(elements<double>(ElementwiseKernel(
                  "int64 x, float64 y", "float64 z", "z = x + y", "i64_f64")(longs, doubles)) ==
              std::vector<double>{1.25, -4.5, 0x1p40 + 1e-3, 0});
        CHECK(elements<std::int32_t>(ElementwiseKernel(
                  "uint8 x, float32 y", "int32 z", "z = x + (int)(y < 4 ? y : 4)", "to_i32")(
                  bytes, singles)) == std::vector<std::int32_t>{0, 0, 204, 258});
        CHECK(elements<bool>(ElementwiseKernel("float32 x", "bool z", "z = x", "to_bool")(
                  singles)) == std::vector<std::uint8_t>{1, 1, 1, 1});
        CHECK(elements<std::uint8_t>(ElementwiseKernel("int64 x", "uint8 z", "z = x", "wraps")(
                  longs)) == std::vector<std::uint8_t>{1, 251, 0, 7});
        const auto brain =
            elements<bfloat16_t>(ElementwiseKernel("float32 x", "bfloat16 z", "z = x", "f32_bf16")(
                from_vector<float>({1, 1.00390625f, 1.01171875f, 3.0e38f}, {device})));
        for (std::size_t k = 0; k < 4; ++k) {
            CHECK(brain[k].bits ==
                  bfloat16_t(std::vector<float>{1, 1.00390625f, 1.01171875f, 3.0e38f}[k]).bits);
        }
        const auto half = elements<half_t>(
            ElementwiseKernel("float64 x, float16 y", "float16 z", "z = (float16)x + y", "f64_f16")(
                doubles, from_vector<half_t>({1.0f, 2.0f, 0.0f, 2048.0f}, {device})));
        CHECK(static_cast<float>(half[0]) == 1.25f);
        CHECK(static_cast<float>(half[1]) == 2.5f);
        CHECK(half[2].bits == half_t(1e-3f).bits);
        CHECK(half[3].bits == half_t(2041.0f).bits);
    }
}

TEST_CASE("integers of every width wrap and saturate nowhere") {
    const ElementwiseKernel kernel("T x, T y",
                                   "T sum, T product, T shifted",
                                   "sum = x + y; product = x * y; shifted = x >> 1",
                                   "wrap");
    for (const Device device : present_devices()) {
        const auto check = [&](auto zero) {
            using T = decltype(zero);
            using Wide = std::make_unsigned_t<T>;
            const T low = std::numeric_limits<T>::min();
            const T high = std::numeric_limits<T>::max();
            const std::vector<T> x = {low, high, static_cast<T>(high / 3), 5, high};
            const std::vector<T> y = {high, 1, 7, static_cast<T>(3), high};
            const auto results = kernel.call<3>(from_vector(x, {device}), from_vector(y, {device}));
            for (std::size_t k = 0; k < x.size(); ++k) {
                INFO(to_text(device) << ", " << to_text(dtype_of<T>()) << ", case " << k);
                const auto a = static_cast<std::uint64_t>(x[k]);
                const auto b = static_cast<std::uint64_t>(y[k]);
                CHECK(elements<T>(results[0])[k] == static_cast<T>(static_cast<Wide>(a + b)));
                CHECK(elements<T>(results[1])[k] == static_cast<T>(static_cast<Wide>(a * b)));
                CHECK(elements<T>(results[2])[k] == static_cast<T>(x[k] >> 1));
            }
        };
        for_integers(check);
    }
}

TEST_CASE("complex numbers compute as in C++") {
    const ElementwiseKernel kernel(
        "T x, T y",
        "T sum, T product, T quotient, T conjugate, T root, T power, T turned, T mixed",
        "sum = x + y; product = x * y; quotient = x / y; conjugate = conj(x); root = sqrt(x); "
        "power = exp(x); turned = T(-x.imag(), x.real()); mixed = x * 2.0 + y - T(1)",
        "complex_values");
    const ElementwiseKernel real_parts(
        "complex64 x",
        "float32 size, float32 angle, float32 square, bool same",
        "size = abs(x); angle = arg(x); square = norm(x); same = x == complex<float>(3, 4)",
        "complex_parts");
    for (const Device device : present_devices()) {
        const auto check = [&](auto zero, double tolerance) {
            using T = decltype(zero);
            const std::vector<T> x = {{3, 4}, {-1.5f, 0.25f}, {0.5f, -2}, {2, 0}};
            const std::vector<T> y = {{1, -1}, {0.75f, 3}, {-2, -0.5f}, {0, 1}};
            const auto results = kernel.call<8>(from_vector(x, {device}), from_vector(y, {device}));
            for (std::size_t k = 0; k < x.size(); ++k) {
                const Complex a(x[k].real(), x[k].imag());
                const Complex b(y[k].real(), y[k].imag());
                const Complex expected[] = {a + b,
                                            a * b,
                                            a / b,
                                            std::conj(a),
                                            std::sqrt(a),
                                            std::exp(a),
                                            a * Complex(0, 1),
                                            a * 2.0 + b - 1.0};
                for (std::size_t f = 0; f < 8; ++f) {
                    INFO(to_text(device) << ", " << to_text(dtype_of<T>()) << ", output " << f
                                         << ", element " << k);
                    const T got = elements<T>(results[f])[k];
                    CHECK(std::abs(Complex(got.real(), got.imag()) - expected[f]) <=
                          tolerance * (1 + std::abs(expected[f])));
                }
            }
        };
        check(std::complex<float>{}, 1e-6);
        check(std::complex<double>{}, 1e-14);
        const auto parts =
            real_parts.call<4>(from_vector<std::complex<float>>({{3, 4}, {0, -2}}, {device}));
        CHECK(elements<float>(parts[0]) == std::vector<float>{5, 2});
        CHECK(elements<float>(parts[1])[1] == Approx(-1.5707963267948966).epsilon(1e-6));
        CHECK(elements<float>(parts[2]) == std::vector<float>{25, 4});
        CHECK(elements<bool>(parts[3]) == std::vector<std::uint8_t>{1, 0});
    }
}

TEST_CASE("infinities, NaN, signed zeros and denormals pass through untouched") {
    const ElementwiseKernel copy("T x", "T z", "z = x", "pass");
    for (const Device device : present_devices()) {
        const std::vector<float> singles = {INFINITY, -INFINITY, -0.0f, 1e-45f, -1e-40f};
        const auto got = elements<float>(copy(from_vector(singles, {device})));
        for (std::size_t k = 0; k < singles.size(); ++k) {
            CHECK(got[k] == singles[k]);
            CHECK(std::signbit(got[k]) == std::signbit(singles[k]));
        }
        CHECK(std::isnan(elements<double>(copy(from_vector<double>({NAN}, {device}))).front()));
        const auto tiny = elements<float>(ElementwiseKernel(
            "T x", "T z", "z = x * 0.5f", "tiny")(from_vector<float>({1.17549435e-38f}, {device})));
        CHECK(tiny.front() == 0x1p-127f);
        std::vector<half_t> halves;
        for (int bits = 0; bits < 65536; ++bits)
            halves.push_back(half_t::from_bits(static_cast<std::uint16_t>(bits)));
        const auto same = elements<half_t>(copy(from_vector(halves, {device})));
        bool equal = true;
        for (std::size_t k = 0; k < halves.size(); ++k)
            equal = equal && same[k].bits == halves[k].bits;
        CHECK(equal);
    }
}

TEST_CASE("bool arrays hold 0 and 1 whatever is assigned") {
    const ElementwiseKernel flag("T x", "bool z", "z = x > 1", "flag");
    const ElementwiseKernel logic(
        "bool x, bool y", "bool z, int32 sum", "z = x ^ y; sum = x + y", "logic");
    for (const Device device : present_devices()) {
        const Array x = flag(from_vector<float>({0, 1, 2, 3}, {device}));
        CHECK(x.dtype() == bool_);
        CHECK(elements<bool>(x) == std::vector<std::uint8_t>{0, 0, 1, 1});
        const Array y = flag(from_vector<std::int16_t>({2, 0, 0, 2}, {device}));
        const auto results = logic.call<2>(x, y);
        CHECK(elements<bool>(results[0]) == std::vector<std::uint8_t>{1, 0, 1, 0});
        CHECK(elements<std::int32_t>(results[1]) == std::vector<std::int32_t>{1, 0, 1, 2});
    }
}

TEST_CASE("numbers of dtype complex128 are parameters at any place", "[elementwise]") {
    const ElementwiseKernel axpy("T a, T x, bool b", "T z", "z = b ? a * x : x", "axpy");
    for (const Device device : test::present_devices()) {
        const Array x = full({3}, std::complex<double>(1, 2), complex128, {.device = device});
        for (int round = 0; round < 3; ++round) {
            const Array z = axpy(std::complex<double>(0, round), x, true);
            CHECK(z.to_vector<std::complex<double>>()[2] ==
                  std::complex<double>(-2.0 * round, 1.0 * round));
        }
    }
}
