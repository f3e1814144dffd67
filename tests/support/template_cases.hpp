// SPDX-License-Identifier: MIT
//
// Compares templates with references. Values are long double, which represents every value of
// every real dtype exactly.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <kgen/kgen.hpp>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"

namespace kgen::test {

using LongReal = long double;
using Values = std::vector<LongReal>;

inline constexpr LongReal infinity = std::numeric_limits<LongReal>::infinity();
inline constexpr LongReal not_a_number = std::numeric_limits<LongReal>::quiet_NaN();

inline bool is_floating(DType dtype) {
    return kind_of(dtype) == DTypeKind::real;
}

inline bool is_whole(DType dtype) {
    return kind_of(dtype) == DTypeKind::signed_integer ||
           kind_of(dtype) == DTypeKind::unsigned_integer;
}

// Converts a real number to an element of a dtype. Integers wrap; a bool is true if the number is not 0.
template <typename T>
T element_of(LongReal value) {
    if constexpr (std::is_same_v<T, bool>) {
        return value != 0;
    } else if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(value < 0
                                  ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                                  : static_cast<std::uint64_t>(value));
    } else if constexpr (std::is_same_v<T, double>) {
        return static_cast<double>(value);
    } else {
        return T(static_cast<float>(value));
    }
}

template <typename T>
inline constexpr bool is_complex =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

inline Array array_of(const Values& values, DType dtype, const Dims& shape, Device device) {
    return visit_dtype(dtype, [&]<typename T>() -> Array {
        if constexpr (is_complex<T>) {
            throw std::logic_error("complex numbers have tests of their own");
        } else {
            std::vector<std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>> elements;
            for (const LongReal value : values) elements.push_back(element_of<T>(value));
            return from_host(elements.data(), dtype, shape, {.device = device});
        }
    });
}

// Returns the values after rounding or wrapping to the dtype.
inline Values kept(const Values& values, DType dtype) {
    return visit_dtype(dtype, [&]<typename T>() -> Values {
        Values result;
        if constexpr (!is_complex<T>) {
            for (const LongReal value : values)
                result.push_back(static_cast<LongReal>(element_of<T>(value)));
        }
        return result;
    });
}

inline Values values_of(const Array& array) {
    return visit_dtype(array.dtype(), [&]<typename T>() -> Values {
        Values values;
        if constexpr (!is_complex<T>) {
            std::vector<std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>> elements(
                static_cast<std::size_t>(array.size()));
            array.copy_to_host(elements.data());
            for (const auto& element : elements) values.push_back(static_cast<LongReal>(element));
        }
        return values;
    });
}

inline LongReal epsilon_of(DType dtype) {
    switch (dtype) {
        case DType::float16:
            return std::ldexp(1.0L, -10);
        case DType::bfloat16:
            return std::ldexp(1.0L, -7);
        case DType::float32:
            return std::ldexp(1.0L, -23);
        case DType::float64:
            return std::ldexp(1.0L, -52);
        default:
            return 0;
    }
}

enum class Zeros { alike, signed_ones };

// Returns whether a result equals the expected value up to `ulps` units in its last place. -0
// equals 0 unless `zeros` says otherwise.
inline bool is_near(LongReal result, LongReal expected, DType dtype, LongReal ulps, Zeros zeros) {
    if (std::isnan(expected) || std::isnan(result))
        return std::isnan(expected) == std::isnan(result);
    if (result == expected)
        return zeros == Zeros::alike || std::signbit(result) == std::signbit(expected);
    if (std::isinf(expected) || std::isinf(result)) return false;
    const LongReal smallest = dtype == DType::float16 ? 6e-5L : 1e-37L;
    return std::fabs(result - expected) <=
           ulps * epsilon_of(dtype) * std::max(std::fabs(expected), smallest);
}

// How the result's dtype follows from the input's dtype.
enum class ResultType {
    same,
    boolean,   // bool
    floating,  // integers and bools become float64
    by_size,   // integers and bools become float16, float32 or float64 by their size
    wide,      // integers and bools become int64 and uint64
    doubled,   // float64
    index,     // int64
};

inline DType result_dtype(ResultType rule, DType input) {
    const bool is_number = is_floating(input) || kind_of(input) == DTypeKind::complex;
    switch (rule) {
        case ResultType::same:
            return input;
        case ResultType::boolean:
            return bool_;
        case ResultType::floating:
            return is_number ? input : float64;
        case ResultType::by_size:
            if (is_number) return input;
            return item_size(input) == 1 ? float16 : item_size(input) == 2 ? float32 : float64;
        case ResultType::doubled:
            return float64;
        case ResultType::wide:
            if (is_number) return input;
            return kind_of(input) == DTypeKind::unsigned_integer ? uint64 : int64;
        case ResultType::index:
            break;
    }
    return int64;
}

}  // namespace kgen::test
