// SPDX-License-Identifier: MIT
#include "expression/fold_numbers.hpp"

#include <cmath>
#include <complex>
#include <cstdint>

namespace kgen {

namespace {

std::optional<std::int64_t> fold_integers(std::string_view function,
                                          std::int64_t a,
                                          std::int64_t b) {
    std::int64_t result = 0;
    bool overflows = false;
    if (function == "add") {
        overflows = __builtin_add_overflow(a, b, &result);
    } else if (function == "subtract") {
        overflows = __builtin_sub_overflow(a, b, &result);
    } else if (function == "multiply") {
        overflows = __builtin_mul_overflow(a, b, &result);
    } else {
        // Powers of other bases than -1, 0 and 1 overflow after at most 63 rounds.
        result = 1;
        if (a == 0 || a == 1 || a == -1) b = b == 0 ? 0 : 2 - b % 2;
        for (; b > 0 && !overflows; --b) overflows = __builtin_mul_overflow(result, a, &result);
    }
    return overflows ? std::nullopt : std::optional(result);
}

std::complex<double> as_complex(const Scalar& number) {
    switch (kind_of(number.dtype())) {
        case DTypeKind::boolean:
        case DTypeKind::unsigned_integer:
            return static_cast<double>(number.unsigned_value());
        case DTypeKind::signed_integer:
            return static_cast<double>(number.signed_value());
        case DTypeKind::real:
        case DTypeKind::complex:
            break;
    }
    return number.complex_value();
}

template <typename T>
T fold(std::string_view function, T a, T b) {
    if (function == "add") return a + b;
    if (function == "subtract") return a - b;
    if (function == "multiply") return a * b;
    return function == "divide" ? a / b : std::pow(a, b);
}

bool is_integer(const Scalar& number) noexcept {
    return kind_of(number.dtype()) == DTypeKind::signed_integer;
}

bool is_complex(const Scalar& number) noexcept {
    return kind_of(number.dtype()) == DTypeKind::complex;
}

}  // namespace

std::optional<Scalar> fold_numbers(std::string_view function, const Scalar& a, const Scalar& b) {
    const bool is_power = function == "power";
    const bool divides = function == "divide";
    if (function != "add" && function != "subtract" && function != "multiply" && !divides &&
        !is_power)
        return std::nullopt;
    if (is_integer(a) && is_integer(b) && !divides && !(is_power && b.signed_value() < 0)) {
        const auto result = fold_integers(function, a.signed_value(), b.signed_value());
        return result ? std::optional(Scalar(*result)) : std::nullopt;
    }
    const std::complex<double> x = as_complex(a);
    const std::complex<double> y = as_complex(b);
    if (is_complex(a) || is_complex(b)) return Scalar(fold(function, x, y));
    return Scalar(fold(function, x.real(), y.real()));
}

}  // namespace kgen
