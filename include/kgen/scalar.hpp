// SPDX-License-Identifier: MIT
//
// Scalar: one number with the dtype of its C++ type.
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <kgen/dtype.hpp>
#include <kgen/export.hpp>
#include <kgen/text_formatter.hpp>
#include <string>
#include <type_traits>

namespace kgen {

template <typename T>
concept ScalarType = HasDType<T> || std::same_as<T, long double>;

// A number that converts to a parameter's dtype only if that loses nothing but rounding (see convert_scalar).
class Scalar {
public:
    template <ScalarType T>
    constexpr Scalar(T value) noexcept {  // NOLINT: a literal is an argument
        if constexpr (!std::is_same_v<T, long double>) dtype_ = dtype_of<T>();
        if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
            signed_ = value;
        } else if constexpr (std::is_integral_v<T>) {
            unsigned_ = value;
        } else if constexpr (requires { value.imag(); }) {
            complex_ = value;
        } else {
            complex_ = static_cast<double>(value);
        }
    }

    constexpr DType dtype() const noexcept { return dtype_; }
    // The value. Each function is valid only for the dtypes beside it.
    std::int64_t signed_value() const noexcept { return signed_; }            // signed integers
    std::uint64_t unsigned_value() const noexcept { return unsigned_; }       // unsigned, bool
    double real_value() const noexcept { return complex_.real(); }            // real dtypes
    std::complex<double> complex_value() const noexcept { return complex_; }  // real and complex

private:
    DType dtype_ = DType::float64;
    std::int64_t signed_ = 0;
    std::uint64_t unsigned_ = 0;
    std::complex<double> complex_ = 0;
};

// Returns the number of this dtype in the item_size(dtype) bytes at `bytes`, at any alignment. For callers that
// know the dtype only at run time, such as bindings to other languages.
KGEN_EXPORT Scalar read_scalar(DType dtype, const void* bytes);

// Writes the value as `dtype` into `bytes`, which hold item_size(dtype) bytes, and returns an empty string.
// The conversion may lose nothing but rounding: an integer must be representable, a float converts to an
// integer dtype only if it is integral, a finite value must stay finite, and a complex number converts only
// to complex dtypes; true and false are 1 and 0. Otherwise writes nothing and returns the reason, such as
// "300 does not fit int8 (-128 to 127)".
KGEN_EXPORT std::string convert_scalar(const Scalar& scalar, DType dtype, void* bytes);

// Returns the number as text: "5", "2.5", "true", "(1+2j)".
KGEN_EXPORT std::string to_text(const Scalar& scalar);

}  // namespace kgen

template <>
struct fmt::formatter<kgen::Scalar> : kgen::detail::TextFormatter<kgen::Scalar> {};
