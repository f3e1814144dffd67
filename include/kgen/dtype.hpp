// SPDX-License-Identifier: MIT
//
// The dtypes of kgen, named as in NumPy, and the C++ types that represent them on the CPU.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <kgen/export.hpp>
#include <kgen/half.hpp>
#include <optional>
#include <string_view>
#include <type_traits>

namespace kgen {

enum class DType : std::uint8_t {
    bool_,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    float16,
    bfloat16,
    float32,
    float64,
    complex64,
    complex128,
};

inline constexpr int dtype_count = 15;

inline constexpr DType bool_ = DType::bool_;
inline constexpr DType int8 = DType::int8;
inline constexpr DType int16 = DType::int16;
inline constexpr DType int32 = DType::int32;
inline constexpr DType int64 = DType::int64;
inline constexpr DType uint8 = DType::uint8;
inline constexpr DType uint16 = DType::uint16;
inline constexpr DType uint32 = DType::uint32;
inline constexpr DType uint64 = DType::uint64;
inline constexpr DType float16 = DType::float16;
inline constexpr DType bfloat16 = DType::bfloat16;
inline constexpr DType float32 = DType::float32;
inline constexpr DType float64 = DType::float64;
inline constexpr DType complex64 = DType::complex64;
inline constexpr DType complex128 = DType::complex128;

enum class DTypeKind : std::uint8_t { boolean, signed_integer, unsigned_integer, real, complex };

KGEN_EXPORT DTypeKind kind_of(DType dtype) noexcept;

// Returns the size of one element in bytes. The alignment is equal to it, or to half of it for complex
// dtypes.
KGEN_EXPORT std::size_t item_size(DType dtype) noexcept;

// Returns the NumPy name: "float32", "bool".
KGEN_EXPORT std::string_view to_text(DType dtype) noexcept;

// Parses a NumPy name or a C name ("int", "unsigned char", "double", "long long", "half"). Returns nothing if
// the name is not a dtype.
KGEN_EXPORT std::optional<DType> parse_dtype(std::string_view name) noexcept;

// Returns the dtype of a C++ type: dtype_of<float>() is float32. Does not compile for a type without a dtype.
template <typename T>
constexpr DType dtype_of() noexcept {
    using U = std::remove_cv_t<T>;
    if constexpr (std::is_same_v<U, bool>) {
        return DType::bool_;
    } else if constexpr (std::is_same_v<U, half_t>) {
        return DType::float16;
    } else if constexpr (std::is_same_v<U, bfloat16_t>) {
        return DType::bfloat16;
    } else if constexpr (std::is_same_v<U, float>) {
        return DType::float32;
    } else if constexpr (std::is_same_v<U, double>) {
        return DType::float64;
    } else if constexpr (std::is_same_v<U, std::complex<float>>) {
        return DType::complex64;
    } else if constexpr (std::is_same_v<U, std::complex<double>>) {
        return DType::complex128;
    } else {
        static_assert(std::is_integral_v<U>, "this C++ type has no dtype");
        constexpr bool is_signed = std::is_signed_v<U>;
        if constexpr (sizeof(U) == 1) return is_signed ? DType::int8 : DType::uint8;
        if constexpr (sizeof(U) == 2) return is_signed ? DType::int16 : DType::uint16;
        if constexpr (sizeof(U) == 4) return is_signed ? DType::int32 : DType::uint32;
        if constexpr (sizeof(U) == 8) return is_signed ? DType::int64 : DType::uint64;
    }
}

// Calls visitor.template operator()<T>() with the C++ type T of the dtype.
template <typename Visitor>
constexpr decltype(auto) visit_dtype(DType dtype, Visitor&& visitor) {
    switch (dtype) {
        case DType::bool_:
            return visitor.template operator()<bool>();
        case DType::int8:
            return visitor.template operator()<std::int8_t>();
        case DType::int16:
            return visitor.template operator()<std::int16_t>();
        case DType::int32:
            return visitor.template operator()<std::int32_t>();
        case DType::int64:
            return visitor.template operator()<std::int64_t>();
        case DType::uint8:
            return visitor.template operator()<std::uint8_t>();
        case DType::uint16:
            return visitor.template operator()<std::uint16_t>();
        case DType::uint32:
            return visitor.template operator()<std::uint32_t>();
        case DType::uint64:
            return visitor.template operator()<std::uint64_t>();
        case DType::float16:
            return visitor.template operator()<half_t>();
        case DType::bfloat16:
            return visitor.template operator()<bfloat16_t>();
        case DType::float32:
            return visitor.template operator()<float>();
        case DType::float64:
            return visitor.template operator()<double>();
        case DType::complex64:
            return visitor.template operator()<std::complex<float>>();
        case DType::complex128:
            break;
    }
    return visitor.template operator()<std::complex<double>>();
}

}  // namespace kgen
