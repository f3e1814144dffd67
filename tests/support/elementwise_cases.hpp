// SPDX-License-Identifier: MIT
//
// The elementwise templates of the library, with references in long double.
#pragma once

#include <numeric>

#include "support/template_cases.hpp"

namespace kgen::test::elementwise {

using V = const LongReal*;
using enum ResultType;

struct Case {
    const char* name;
    std::vector<DType> dtypes;
    ResultType result;
    LongReal (*reference)(V);
    LongReal ulps = 0;
    Zeros zeros = Zeros::alike;
    enum class Range { edges, plain, units } range = Range::edges;
};

inline constexpr auto edges = Case::Range::edges;
inline constexpr auto plain = Case::Range::plain;  // whole numbers: sums and products are exact
inline constexpr auto units = Case::Range::units;  // [-1, 1] and values outside
inline constexpr auto alike = Zeros::alike;
inline constexpr auto signs = Zeros::signed_ones;

inline LongReal floor_of_quotient(V v) {
    if (v[0] != v[0] || v[1] != v[1]) return not_a_number;
    if (v[1] == 0) return v[0] / v[1];
    if (std::isinf(v[0])) return not_a_number;
    if (std::isinf(v[1]))
        return v[0] != 0 && std::signbit(v[0]) != std::signbit(v[1]) ? -1 : v[0] / v[1];
    return std::floor(v[0] / v[1]);
}

inline LongReal python_remainder(V v) {
    const LongReal rest = std::fmod(v[0], v[1]);
    if (rest == 0) return std::copysign(LongReal(0), v[1]);
    return std::signbit(rest) != std::signbit(v[1]) ? rest + v[1] : rest;
}

inline std::int64_t whole(LongReal value) {
    return static_cast<std::int64_t>(value);
}

inline LongReal bessel(V v) {
    LongReal term = 1;
    LongReal sum = 1;
    for (int k = 1; k < 400; ++k) sum += term *= v[0] * v[0] / 4 / k / k;
    return sum;
}

inline LongReal sigmoid(LongReal x) {
    return 1 / (1 + std::exp(-x));
}

inline LongReal softplus(LongReal x) {
    return x > 100 ? x : std::log1p(std::exp(x));
}

inline constexpr LongReal pi = 3.14159265358979323846264338327950288L;

inline const std::vector<Case> cases = {
    {"add", {float32, float16, int32, bool_}, same, [](V v) { return v[0] + v[1]; }},
    {"subtract", {float32, uint8}, same, [](V v) { return v[0] - v[1]; }},
    {"multiply", {float32, bfloat16, int32, bool_}, same, [](V v) { return v[0] * v[1]; }},
    {"divide", {float32, int32}, floating, [](V v) { return v[0] / v[1]; }},
    {"floor_divide", {float32, float64, float16}, same, floor_of_quotient, 2, signs},
    {"remainder", {float32, float64, float16}, same, python_remainder, 0, signs},
    {"fmod", {float32, float16}, same, [](V v) { return std::fmod(v[0], v[1]); }, 0, signs},
    {"power", {float32}, same, [](V v) { return std::pow(v[0], v[1]); }, 16},
    {"negative", {float32, int32, uint8}, same, [](V v) { return -v[0]; }, 0, signs},
    {"abs", {float32, int8, uint8, bool_}, same, [](V v) { return std::fabs(v[0]); }, 0, signs},
    {"sign",
     {float32, int8},
     same,
     [](V v) { return std::isnan(v[0]) ? v[0] : LongReal((v[0] > 0) - (v[0] < 0)); }},
    {"square", {float32}, same, [](V v) { return v[0] * v[0]; }},
    {"reciprocal", {float32, float64}, same, [](V v) { return 1 / v[0]; }},
    {"maximum",
     {float32, float16, int32},
     same,
     [](V v) { return v[0] != v[0] || v[1] != v[1] ? not_a_number : std::max(v[0], v[1]); }},
    {"minimum",
     {float32, uint8},
     same,
     [](V v) { return v[0] != v[0] || v[1] != v[1] ? not_a_number : std::min(v[0], v[1]); }},
    {"fmax", {float32, int32}, same, [](V v) { return std::fmax(v[0], v[1]); }},
    {"fmin", {float32, bfloat16}, same, [](V v) { return std::fmin(v[0], v[1]); }},
    {"axpy", {float32, int32}, same, [](V v) { return v[0] * v[1] + v[2]; }, 0, alike, plain},
    {"axpby", {float32}, same, [](V v) { return v[0] * v[1] + v[2] * v[3]; }, 0, alike, plain},
    {"saxpy", {float32}, same, [](V v) { return v[0] * v[1] + v[2]; }, 0, alike, plain},
    {"daxpy", {float64}, same, [](V v) { return v[0] * v[1] + v[2]; }, 0, alike, plain},
    {"fma", {float32, float16}, same, [](V v) { return v[0] * v[1] + v[2]; }, 0, alike, plain},

    {"equal", {float32, bool_}, boolean, [](V v) { return LongReal(v[0] == v[1]); }},
    {"not_equal", {float32, int32}, boolean, [](V v) { return LongReal(v[0] != v[1]); }},
    {"less", {float32, float16}, boolean, [](V v) { return LongReal(v[0] < v[1]); }},
    {"less_equal", {float32}, boolean, [](V v) { return LongReal(v[0] <= v[1]); }},
    {"greater", {float32, uint8}, boolean, [](V v) { return LongReal(v[0] > v[1]); }},
    {"greater_equal", {float32}, boolean, [](V v) { return LongReal(v[0] >= v[1]); }},

    {"logical_and",
     {float32, bool_},
     boolean,
     [](V v) { return LongReal(v[0] != 0 && v[1] != 0); }},
    {"logical_or", {float32, int32}, boolean, [](V v) { return LongReal(v[0] != 0 || v[1] != 0); }},
    {"logical_xor",
     {float32, float16},
     boolean,
     [](V v) { return LongReal((v[0] != 0) != (v[1] != 0)); }},
    {"logical_not", {float32, bool_}, boolean, [](V v) { return LongReal(v[0] == 0); }},
    {"bitwise_and", {int32, bool_}, same, [](V v) { return LongReal(whole(v[0]) & whole(v[1])); }},
    {"bitwise_or", {int32}, same, [](V v) { return LongReal(whole(v[0]) | whole(v[1])); }},
    {"bitwise_xor", {uint8, bool_}, same, [](V v) { return LongReal(whole(v[0]) ^ whole(v[1])); }},
    {"isnan", {float32, float16, int32}, boolean, [](V v) { return LongReal(v[0] != v[0]); }},
    {"isinf", {float32, int32}, boolean, [](V v) { return LongReal(std::isinf(v[0])); }},
    {"isfinite", {float32, int32}, boolean, [](V v) { return LongReal(std::isfinite(v[0])); }},
    {"signbit",
     {float32, float16, int32},
     boolean,
     [](V v) { return LongReal(v[0] == v[0] && std::signbit(v[0])); }},

    {"sqrt",
     {float32, float16, int8, int16, int32, bool_},
     by_size,
     [](V v) { return std::sqrt(v[0]); },
     1,
     signs},
    {"rsqrt", {float32, uint8}, by_size, [](V v) { return 1 / std::sqrt(v[0]); }, 4},
    {"cbrt", {float32, int8}, by_size, [](V v) { return std::cbrt(v[0]); }, 4},
    {"exp", {float32, float16, int8, int32}, by_size, [](V v) { return std::exp(v[0]); }, 8},
    {"exp2", {float32, uint8}, by_size, [](V v) { return std::exp2(v[0]); }, 8},
    {"expm1", {float32, bool_}, by_size, [](V v) { return std::expm1(v[0]); }, 8},
    {"log", {float32, float64, uint8, uint64}, by_size, [](V v) { return std::log(v[0]); }, 8},
    {"log2", {float32, uint16}, by_size, [](V v) { return std::log2(v[0]); }, 8},
    {"log10", {float32, int16}, by_size, [](V v) { return std::log10(v[0]); }, 8},
    {"log1p", {float32, uint8}, by_size, [](V v) { return std::log1p(v[0]); }, 8},
    {"sin",
     {float32, bfloat16, uint16},
     by_size,
     [](V v) { return std::sin(v[0]); },
     8,
     alike,
     units},
    {"cos", {float32, int16}, by_size, [](V v) { return std::cos(v[0]); }, 8, alike, units},
    {"tan", {float32, int8}, by_size, [](V v) { return std::tan(v[0]); }, 8, alike, units},
    {"arcsin", {float32, bool_}, by_size, [](V v) { return std::asin(v[0]); }, 8, alike, units},
    {"arccos", {float32, int8}, by_size, [](V v) { return std::acos(v[0]); }, 8, alike, units},
    {"arctan", {float32, uint16}, by_size, [](V v) { return std::atan(v[0]); }, 8},
    {"sinh", {float32, int8}, by_size, [](V v) { return std::sinh(v[0]); }, 8},
    {"cosh", {float32, uint8}, by_size, [](V v) { return std::cosh(v[0]); }, 8},
    {"tanh", {float32, bool_}, by_size, [](V v) { return std::tanh(v[0]); }, 8},
    {"arcsinh", {float32, int16}, by_size, [](V v) { return std::asinh(v[0]); }, 8},
    {"arccosh", {float32, uint8}, by_size, [](V v) { return std::acosh(v[0]); }, 8},
    {"arctanh", {float32, int8}, by_size, [](V v) { return std::atanh(v[0]); }, 8, alike, units},
    {"arctan2", {float32, int8, int32}, by_size, [](V v) { return std::atan2(v[0], v[1]); }, 8},
    {"hypot", {float32, int8, uint32}, by_size, [](V v) { return std::hypot(v[0], v[1]); }, 8},
    {"erf", {float32}, floating, [](V v) { return std::erf(v[0]); }, 8},
    {"erfc", {float32}, floating, [](V v) { return std::erfc(v[0]); }, 16},
    {"gamma",
     {float32},
     floating,
     [](V v) {
         const bool is_pole = v[0] < 0 && std::floor(v[0]) == v[0];
         return is_pole ? not_a_number : std::tgamma(v[0]);
     },
     16},
    {"lgamma", {float32}, floating, [](V v) { return std::lgamma(v[0]); }, 16},
    {"degrees", {float32, float16, uint8, int32}, by_size, [](V v) { return v[0] * 180 / pi; }, 2},
    {"radians", {float32, uint16}, by_size, [](V v) { return v[0] * pi / 180; }, 2},
    {"sinc",
     {float32, int32},
     floating,
     // Whole numbers are exact roots. The other values are far from roots.
     [](V v) {
         if (v[0] == 0) return LongReal(1);
         return std::floor(v[0]) == v[0] ? LongReal(0) : std::sin(pi * v[0]) / (pi * v[0]);
     },
     16,
     alike,
     units},
    {"copysign",
     {float32, int8, uint16, int64},
     by_size,
     [](V v) { return std::copysign(v[0], v[1]); },
     0,
     signs},
    {"logaddexp",
     {float32, float64, int8, uint32},
     by_size,
     [](V v) {
         if (v[0] == v[1]) return v[0] + std::log(LongReal(2));
         if (v[0] != v[0] || v[1] != v[1]) return not_a_number;
         return std::max(v[0], v[1]) + std::log1p(std::exp(-std::fabs(v[0] - v[1])));
     },
     16},
    {"floor", {float32, float16, int32}, same, [](V v) { return std::floor(v[0]); }, 0, signs},
    {"ceil", {float32}, same, [](V v) { return std::ceil(v[0]); }, 0, signs},
    {"trunc", {float32, uint8}, same, [](V v) { return std::trunc(v[0]); }, 0, signs},
    {"rint",
     {float32, bfloat16, int8, int64},
     by_size,
     [](V v) { return std::nearbyint(v[0]); },
     0,
     signs},

    {"fabs", {float32, float16, int8, int64, bool_}, by_size, [](V v) { return std::fabs(v[0]); }},
    {"positive", {float32, float16, int8}, same, [](V v) { return v[0]; }, 0, signs},
    {"logaddexp2",
     {float32, float64, int8, uint32},
     by_size,
     [](V v) {
         if (v[0] == v[1]) return v[0] + 1;
         if (v[0] != v[0] || v[1] != v[1]) return not_a_number;
         return std::max(v[0], v[1]) +
                std::log1p(std::exp2(-std::fabs(v[0] - v[1]))) / std::log(LongReal(2));
     },
     16},
    {"float_power",
     {float32, float16, int8, uint64, bool_},
     doubled,
     [](V v) { return std::pow(v[0], v[1]); },
     16},
    {"i0", {float32, float64, bfloat16, int8}, floating, bessel, 16, alike, units},
    {"round",
     {float32, float16, int8, uint64},
     same,
     [](V v) { return std::nearbyint(v[0]); },
     0,
     signs},
    {"gcd",
     {int8, uint8, int32, int64},
     same,
     [](V v) { return LongReal(std::gcd(whole(v[0]), whole(v[1]))); }},
    {"lcm",
     {int8, uint8, int32, int64},
     same,
     [](V v) { return LongReal(std::lcm(whole(v[0]), whole(v[1]))); }},
    {"angle",
     {float32, float64, int8, uint16, int64},
     by_size,
     [](V v) { return std::atan2(LongReal(0), v[0]); },
     1},
    {"real", {float32, int8, bool_}, same, [](V v) { return v[0]; }, 0, signs},
    {"imag", {float32, int8, bool_}, same, [](V) { return LongReal(0); }},
    {"isposinf",
     {float32, bfloat16, int8},
     boolean,
     [](V v) { return LongReal(v[0] == infinity); }},
    {"isneginf",
     {float32, float16, bool_},
     boolean,
     [](V v) { return LongReal(v[0] == -infinity); }},
    {"isreal", {float32, int8}, boolean, [](V) { return LongReal(1); }},
    {"iscomplex", {float32, int8}, boolean, [](V) { return LongReal(0); }},

    {"clip",
     {float32, int32},
     same,
     [](V v) {
         if (v[0] != v[0] || v[1] != v[1] || v[2] != v[2]) return not_a_number;
         return std::min(v[2], std::max(v[0], v[1]));
     }},
    {"nan_to_num",
     {float32, float64, bfloat16, int8, bool_},
     same,
     [](V v) { return v[0]; },  // template_special_test.cpp tests the special values
     0,
     alike,
     plain},
    {"heaviside",
     {float32, float16, int8, uint16},
     by_size,
     [](V v) { return v[0] != v[0] ? v[0]
                      : v[0] == 0  ? v[1]
                                   : LongReal(v[0] > 0); }},

    {"relu", {float32, float16, int32}, same, [](V v) { return v[0] < 0 ? 0 : v[0]; }},
    {"relu6", {float32}, same, [](V v) { return v[0] < 0   ? 0
                                                : v[0] > 6 ? 6
                                                           : v[0]; }},
    {"leaky_relu", {float32}, same, [](V v) { return v[0] < 0 ? v[0] * v[1] : v[0]; }},
    {"elu",
     {float32, float16},
     same,
     [](V v) { return v[0] < 0 ? v[1] * std::expm1(v[0]) : v[0]; },
     8},
    {"selu",
     {float32},
     same,
     [](V v) {
         const LongReal scale = 1.0507009873554804934193349852946L;
         return v[0] < 0 ? scale * 1.6732632423543772848170429916717L * std::expm1(v[0])
                         : scale * v[0];
     },
     8},
    {"gelu",
     {float32, bfloat16},
     same,
     [](V v) {
         return v[0] == -infinity ? not_a_number : v[0] * std::erfc(-v[0] / std::sqrt(2.0L)) / 2;
     },
     16},
    {"gelu_tanh",
     {float32},
     same,
     [](V v) {
         if (v[0] == -infinity) return not_a_number;
         return v[0] / 2 *
                (1 + std::tanh(std::sqrt(2 / pi) * (v[0] + 0.044715L * v[0] * v[0] * v[0])));
     },
     64,
     alike,
     units},
    {"sigmoid", {float32, float16}, same, [](V v) { return sigmoid(v[0]); }, 8},
    {"silu",
     {float32},
     same,
     [](V v) { return v[0] == -infinity ? not_a_number : v[0] * sigmoid(v[0]); },
     8},
    {"softplus", {float32, bfloat16}, same, [](V v) { return softplus(v[0]); }, 8},
    {"softsign", {float32}, same, [](V v) { return v[0] / (1 + std::fabs(v[0])); }, 4},
    {"mish",
     {float32},
     same,
     [](V v) { return v[0] == -infinity ? not_a_number : v[0] * std::tanh(softplus(v[0])); },
     16},
};

}  // namespace kgen::test::elementwise
