// SPDX-License-Identifier: MIT
//
// Converts one number between the C++ types of the dtypes, as a C++ cast does on a GPU. To bool as `value !=
// 0`. Integers wrap. A float outside an integer type's range becomes the nearest value of that type, and NaN
// becomes 0. Complex to real drops the imaginary part. Every conversion rounds once, to nearest even, also
// from float64 and int64 to float16 and bfloat16.
#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <kgen/dtype.hpp>
#include <kgen/half.hpp>
#include <limits>
#include <type_traits>

namespace kgen {

// True for bool too, which holds 0 and 1.
inline bool holds_integers(DType dtype) noexcept {
    return kind_of(dtype) != DTypeKind::real && kind_of(dtype) != DTypeKind::complex;
}

template <typename T>
inline constexpr bool is_complex_type =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
// A class such as half_t, which converts to and from float.
template <typename T>
inline constexpr bool is_narrow_float_type = std::is_class_v<T> && !is_complex_type<T>;

// Rounds to float so that rounding the result again, to a type at least two bits narrower, gives the same as
// rounding `value` once. An inexact result is cut off and its last bit is set.
inline float round_to_odd(double value) noexcept {
    auto rounded = static_cast<float>(value);
    if (std::isnan(value) || static_cast<double>(rounded) == value) return rounded;
    if (std::abs(static_cast<double>(rounded)) > std::abs(value)) {
        rounded = std::nextafterf(rounded, 0.0f);
    }
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(rounded) | 1u);
}

// The same for an integer. Keeps the 40 leading bits and one bit that says whether anything follows.
template <std::integral T>
double leading_bits(T value) noexcept {
    if constexpr (sizeof(T) < 8) {
        return static_cast<double>(value);
    } else {
        const bool negative = value < 0;
        auto bits = static_cast<std::uint64_t>(value);
        if (negative) bits = std::uint64_t{0} - bits;
        const int excess = static_cast<int>(std::bit_width(bits)) - 40;
        double result = static_cast<double>(bits);
        if (excess > 0) {
            const std::uint64_t cut = bits >> excess;
            result = std::ldexp(static_cast<double>(cut | ((cut << excess) != bits)), excess);
        }
        return negative ? -result : result;
    }
}

template <std::integral To, std::floating_point From>
To saturate(From value) noexcept {
    using Bounds = std::numeric_limits<To>;
    if (std::isnan(value)) return 0;
    // The upper bound plus one is a power of two, exact in every floating type.
    const From above = std::ldexp(From{1}, Bounds::digits);
    if (value >= above) return Bounds::max();
    if (value <= static_cast<From>(Bounds::min())) return Bounds::min();
    return static_cast<To>(value);
}

template <typename To, typename From>
To convert_value(From value) noexcept {
    if constexpr (std::is_same_v<To, From>) {
        return value;
    } else if constexpr (is_narrow_float_type<From>) {
        return convert_value<To>(static_cast<float>(value));
    } else if constexpr (std::is_same_v<To, bool>) {
        return value != From{};
    } else if constexpr (is_complex_type<To>) {
        using Part = typename To::value_type;
        if constexpr (is_complex_type<From>) {
            return {static_cast<Part>(value.real()), static_cast<Part>(value.imag())};
        } else {
            return {convert_value<Part>(value), Part{0}};
        }
    } else if constexpr (is_complex_type<From>) {
        return convert_value<To>(value.real());
    } else if constexpr (is_narrow_float_type<To>) {
        if constexpr (std::is_same_v<From, float>) {
            return To(value);
        } else if constexpr (std::is_same_v<From, double>) {
            return To(round_to_odd(value));
        } else if constexpr (std::is_same_v<From, bool>) {
            return To(value ? 1.0f : 0.0f);
        } else {
            return To(round_to_odd(leading_bits(value)));
        }
    } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
        return saturate<To>(value);
    } else {
        return static_cast<To>(value);
    }
}

}  // namespace kgen
