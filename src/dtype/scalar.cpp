// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <kgen/scalar.hpp>
#include <limits>

#include "dtype/conversion.hpp"
#include "dtype/dtype_table.hpp"
#include "text/rethrow.hpp"

namespace kgen {
namespace {

// An integer scalar as sign and magnitude, so that int64 and uint64 are compared in the same way.
struct Integer {
    bool negative;
    std::uint64_t magnitude;
};

Integer integer_of(const Scalar& scalar) {
    if (kind_of(scalar.dtype()) != DTypeKind::signed_integer) {
        return {false, scalar.unsigned_value()};
    }
    const std::int64_t value = scalar.signed_value();
    const auto bits = static_cast<std::uint64_t>(value);
    return value < 0 ? Integer{true, 0 - bits} : Integer{false, bits};
}

// Returns the shortest decimal text that is read back as the same value of the 16-bit type T.
template <typename T>
std::string short_text(double value) {
    for (int digits = 1; digits < 9; ++digits) {
        const std::string text = fmt::format("{:.{}g}", value, digits);
        double read = 0;
        std::from_chars(text.data(), text.data() + text.size(), read);
        if (static_cast<double>(T(static_cast<float>(read))) == value) {
            return fmt::format("{}", read);
        }
    }
    return fmt::format("{}", value);
}

// Returns the shortest such text for a value of any real dtype, or for a part of a complex one.
std::string real_text(double value, DType dtype) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    return visit_dtype(dtype, [&]<typename T>() -> std::string {
        if constexpr (is_narrow_float_type<T>) return short_text<T>(value);
        if (std::is_same_v<T, float> || std::is_same_v<T, std::complex<float>>)
            return fmt::format("{}", static_cast<float>(value));
        return fmt::format("{}", value);
    });
}

std::string complex_text(std::complex<double> value, DType dtype) {
    std::string imag = real_text(value.imag(), dtype);
    if (imag.front() != '-') imag.insert(0, 1, '+');
    return fmt::format("({}{}j)", real_text(value.real(), dtype), imag);
}

std::string no_fit(const Scalar& scalar, DType dtype, std::string_view reason) {
    return fmt::format("{} does not fit {} ({})", to_text(scalar), to_text(dtype), reason);
}

template <typename T>
std::string write(T value, void* bytes) {
    std::memcpy(bytes, &value, sizeof value);
    return {};
}

template <typename T>
std::string largest_text() {
    return fmt::format("largest {}", row_of(dtype_of<T>()).real.largest);
}

// Whether the integer is in the range of T, from -smallest to largest.
template <typename T>
bool fits(Integer integer) {
    constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    constexpr std::uint64_t smallest = std::is_signed_v<T> ? largest + 1 : 0;
    return integer.magnitude <= (integer.negative ? smallest : largest);
}

template <typename T>
std::string convert_to_integer(const Scalar& scalar, DType dtype, void* bytes) {
    const auto refuse = [&] {
        if constexpr (std::is_same_v<T, bool>) return no_fit(scalar, dtype, "0 or 1");
        return no_fit(
            scalar,
            dtype,
            fmt::format("{} to {}", std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
    };
    Integer integer{};
    if (kind_of(scalar.dtype()) == DTypeKind::real) {
        const double value = scalar.real_value();
        if (!std::isfinite(value)) return no_fit(scalar, dtype, "it is not finite");
        if (value != std::trunc(value)) return no_fit(scalar, dtype, "it is not an integer");
        if (!(std::fabs(value) < 0x1p64)) return refuse();
        integer = {value < 0, static_cast<std::uint64_t>(std::fabs(value))};
    } else {
        integer = integer_of(scalar);
    }
    if (!fits<T>(integer)) return refuse();
    const std::uint64_t bits = integer.negative ? 0 - integer.magnitude : integer.magnitude;
    return write(static_cast<T>(bits), bytes);
}

template <typename T>
std::string convert_to_real(const Scalar& scalar, DType dtype, void* bytes) {
    const DTypeKind kind = kind_of(scalar.dtype());
    const bool is_real = kind == DTypeKind::real;
    const T value = is_real                             ? convert_value<T>(scalar.real_value())
                    : kind == DTypeKind::signed_integer ? convert_value<T>(scalar.signed_value())
                                                        : convert_value<T>(scalar.unsigned_value());
    const bool was_finite = !is_real || std::isfinite(scalar.real_value());
    if (was_finite && !std::isfinite(static_cast<double>(value)))
        return no_fit(scalar, dtype, largest_text<T>());
    return write(value, bytes);
}

template <typename T>
std::string convert_to_complex(const Scalar& scalar, DType dtype, void* bytes) {
    if (kind_of(scalar.dtype()) != DTypeKind::complex) {
        T real{};
        std::string problem = convert_to_real<T>(scalar, dtype, &real);
        return problem.empty() ? write(std::complex<T>(real), bytes) : problem;
    }
    const std::complex<double> value = scalar.complex_value();
    const auto rounded = convert_value<std::complex<T>>(value);
    if ((std::isfinite(value.real()) && !std::isfinite(rounded.real())) ||
        (std::isfinite(value.imag()) && !std::isfinite(rounded.imag()))) {
        return no_fit(scalar, dtype, largest_text<T>());
    }
    return write(rounded, bytes);
}

struct ConvertScalar {
    const Scalar& scalar;
    DType dtype;
    void* bytes;

    template <typename T>
    std::string operator()() const {
        if constexpr (std::is_integral_v<T>) {
            if (kind_of(scalar.dtype()) == DTypeKind::complex) return refuse_complex();
            return convert_to_integer<T>(scalar, dtype, bytes);
        } else if constexpr (is_complex_type<T>) {
            return convert_to_complex<typename T::value_type>(scalar, dtype, bytes);
        } else {
            if (kind_of(scalar.dtype()) == DTypeKind::complex) return refuse_complex();
            return convert_to_real<T>(scalar, dtype, bytes);
        }
    }

    std::string refuse_complex() const { return no_fit(scalar, dtype, "it is complex"); }
};

}  // namespace

Scalar read_scalar(DType dtype, const void* bytes) try {
    return visit_dtype(dtype, [&]<typename T>() {
        T value;
        std::memcpy(&value, bytes, sizeof value);
        return Scalar(value);
    });
} catch (...) {
    rethrow_as_error();
}

std::string convert_scalar(const Scalar& scalar, DType dtype, void* bytes) try {
    return visit_dtype(dtype, ConvertScalar{scalar, dtype, bytes});
} catch (...) {
    rethrow_as_error();
}

std::string to_text(const Scalar& scalar) try {
    const DType dtype = scalar.dtype();
    switch (kind_of(dtype)) {
        case DTypeKind::boolean:
            return scalar.unsigned_value() != 0 ? "true" : "false";
        case DTypeKind::signed_integer:
            return fmt::format("{}", scalar.signed_value());
        case DTypeKind::unsigned_integer:
            return fmt::format("{}", scalar.unsigned_value());
        case DTypeKind::complex:
            return complex_text(scalar.complex_value(), dtype);
        case DTypeKind::real:
            break;
    }
    std::string text = real_text(scalar.real_value(), dtype);
    // Keeps a float distinct from an integer: "5.0".
    if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
    return text;
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
