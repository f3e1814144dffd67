// SPDX-License-Identifier: MIT
//
// The dtypes of kgen, named as in NumPy, and the C++ types that represent them on the CPU.
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <kgen/export.hpp>
#include <kgen/half.hpp>
#include <kgen/text_formatter.hpp>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>

namespace kgen {

// clang-format off
// The list of dtypes: each(enumerator, C++ type).
#define KGEN_DTYPES(each) \
    each(bool_, bool) \
    each(int8, std::int8_t) \
    each(int16, std::int16_t) \
    each(int32, std::int32_t) \
    each(int64, std::int64_t) \
    each(uint8, std::uint8_t) \
    each(uint16, std::uint16_t) \
    each(uint32, std::uint32_t) \
    each(uint64, std::uint64_t) \
    each(float16, half_t) \
    each(bfloat16, bfloat16_t) \
    each(float32, float) \
    each(float64, double) \
    each(complex64, std::complex<float>) \
    each(complex128, std::complex<double>)

#define KGEN_ENUMERATOR(name, type) name,
enum class DType : std::uint8_t { KGEN_DTYPES(KGEN_ENUMERATOR) };
#undef KGEN_ENUMERATOR

#define KGEN_CONSTANT(name, type) inline constexpr DType name = DType::name;
KGEN_DTYPES(KGEN_CONSTANT)
#undef KGEN_CONSTANT

#define KGEN_ONE(name, type) + 1
inline constexpr int dtype_count = KGEN_DTYPES(KGEN_ONE);
#undef KGEN_ONE
// clang-format on

enum class DTypeKind : std::uint8_t { boolean, signed_integer, unsigned_integer, real, complex };

KGEN_EXPORT DTypeKind kind_of(DType dtype) noexcept;

// Returns the size of one element in bytes. The alignment is equal to it, or to half of it for complex
// dtypes.
#define KGEN_SIZE(name, type) sizeof(type),
inline std::size_t item_size(DType dtype) noexcept {
    static constexpr std::uint8_t sizes[] = {KGEN_DTYPES(KGEN_SIZE)};
    return sizes[static_cast<std::size_t>(dtype)];
}
#undef KGEN_SIZE

// Returns the NumPy name: "float32", "bool".
KGEN_EXPORT std::string_view to_text(DType dtype) noexcept;

// Parses a NumPy name or code ("f4", "<f4", "|b1") or a C name ("unsigned char", "long long"). Where both have a
// word, as "int" and "float", it has C's meaning. Returns nothing for others, and for big-endian codes.
KGEN_EXPORT std::optional<DType> parse_dtype(std::string_view name) noexcept;

// clang-format off
// Whether two types hold the same numbers: equal types, and integers such as long and long long.
template <typename T, typename U>
concept SameNumbers =
    std::same_as<T, U> ||
    (std::integral<T> && std::integral<U> &&
     std::numeric_limits<T>::digits == std::numeric_limits<U>::digits);

// has_dtype is a variable, because clang compares the constraints of x == y with those of y == x, and the memory that this takes
// grows exponentially with the number of types in a concept.
#define KGEN_OR_SAME(name, type) || SameNumbers<T, type>
namespace detail {
template <typename T>
inline constexpr bool has_dtype = false KGEN_DTYPES(KGEN_OR_SAME);
}  // namespace detail
#undef KGEN_OR_SAME

template <typename T>
concept HasDType = detail::has_dtype<T>;

// Returns the dtype of a C++ type: dtype_of<float>() is float32. Does not compile for a type without a dtype.
template <typename T>
constexpr DType dtype_of() noexcept {
    using U = std::remove_cv_t<T>;
    static_assert(HasDType<U>, "this C++ type has no dtype");
#define KGEN_IF_SAME(name, type) if constexpr (SameNumbers<U, type>) return DType::name;
    KGEN_DTYPES(KGEN_IF_SAME)
#undef KGEN_IF_SAME
}

// Calls visitor.template operator()<T>() with the C++ type T of the dtype.
template <typename Visitor>
constexpr decltype(auto) visit_dtype(DType dtype, Visitor&& visitor) {
    switch (dtype) {
#define KGEN_CASE(name, type) case DType::name: return visitor.template operator()<type>();
        KGEN_DTYPES(KGEN_CASE)
#undef KGEN_CASE
    }
    __builtin_unreachable();
}
// clang-format on

}  // namespace kgen

template <>
struct fmt::formatter<kgen::DType> : kgen::detail::TextFormatter<kgen::DType> {};
