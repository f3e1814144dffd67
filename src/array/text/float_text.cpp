// SPDX-License-Identifier: MIT
#include "array/text/float_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include "dtype/conversion.hpp"
#include "dtype/dtype_table.hpp"

namespace kgen {

namespace {

// |value| = d.ddd * 10^exponent.
struct Decimal {
    std::string digits;  // at least one; no point
    int exponent = 0;
    int fraction_digits() const { return static_cast<int>(digits.size()) - 1; }
};

template <typename... Format>
std::string chars_of(Format... format) {
    std::array<char, 512> buffer{};  // at most 309 digits before the point and 100 after it
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), format...).ptr;
    return std::string(buffer.data(), end);
}

// Parses the scientific form that to_chars writes: "1.25e-07".
Decimal parse_scientific(const std::string& text) {
    Decimal decimal;
    const std::size_t e = text.find('e');
    decimal.digits = text.substr(0, 1);
    if (e > 1) decimal.digits += text.substr(2, e - 2);
    const std::size_t first = text[e + 1] == '+' ? e + 2 : e + 1;
    std::from_chars(text.data() + first, text.data() + text.size(), decimal.exponent);
    return decimal;
}

Decimal exact(double value, int fraction_digits) {
    return parse_scientific(chars_of(value, std::chars_format::scientific, fraction_digits));
}

// Returns the next decimal with the same number of digits.
std::string increment(std::string digits, int& exponent) {
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
        if (*digit != '9') {
            ++*digit;
            return digits;
        }
        *digit = '0';
    }
    ++exponent;
    digits.pop_back();
    return "1" + digits;
}

// For types that to_chars does not support. Tries the nearest decimal of n digits and the one above it,
// because above a power of two the interval that rounds to it is wider than below.
template <typename T>
Decimal shortest_small(double value) {
    for (int n = 0; n < 8; ++n) {
        Decimal near = exact(value, n);
        Decimal above = near;
        above.digits = increment(near.digits, above.exponent);
        for (const Decimal* candidate : {&near, &above}) {
            double read = 0;
            const std::string text = fmt::format("{}.{}e{}",
                                                 candidate->digits[0],
                                                 std::string_view(candidate->digits).substr(1),
                                                 candidate->exponent);
            std::from_chars(text.data(), text.data() + text.size(), read);
            if (static_cast<double>(convert_value<T>(read)) == value) {
                return *candidate;
            }
        }
    }
    return exact(value, 8);
}

// Returns the shortest digits that read back as `value`, which is finite and not negative.
Decimal shortest(double value, DType dtype) {
    return visit_dtype(dtype, [&]<typename T>() {
        if constexpr (is_narrow_float_type<T>) return shortest_small<T>(value);
        using Real = std::conditional_t<std::is_same_v<T, float>, float, double>;
        return parse_scientific(chars_of(static_cast<Real>(value), std::chars_format::scientific));
    });
}

void trim_zeros(std::string& text) {
    text.erase(text.find_last_not_of('0') + 1);
}

// Returns a text such as "1.25e-07". It always has a point.
std::string scientific(const Decimal& decimal, int exponent_digits) {
    return fmt::format("{}.{}e{}{:0{}}",
                       decimal.digits[0],
                       std::string_view(decimal.digits).substr(1),
                       decimal.exponent < 0 ? '-' : '+',
                       std::abs(decimal.exponent),
                       exponent_digits);
}

// Returns a text such as "0.00125" or "1200.". It always has a point.
std::string positional(const Decimal& decimal) {
    std::string digits = decimal.digits;
    if (decimal.exponent < 0) {
        return "0." + std::string(static_cast<std::size_t>(-decimal.exponent - 1), '0') +
               (digits == "0" ? "" : digits);
    }
    const auto whole = static_cast<std::size_t>(decimal.exponent) + 1;
    if (digits.size() < whole) digits.resize(whole, '0');
    return digits.insert(whole, ".");
}

// Rounds `value` as arithmetic of the dtype does.
double round_to(double value, DType dtype) {
    return visit_dtype(
        dtype, [&]<typename T>() { return convert_value<double>(convert_value<T>(value)); });
}

std::string non_finite_text(double value, PrintSign style) {
    const char* sign = value < 0 ? "-" : style == PrintSign::plus ? "+" : "";
    return fmt::format("{}{}", sign, std::isnan(value) ? "nan" : "inf");
}

}  // namespace

std::string bare_float_text(double value, DType dtype) {
    if (!std::isfinite(value)) return non_finite_text(value, PrintSign::none);
    const double size = std::abs(value);
    const Decimal decimal = shortest(size, dtype);
    const double cutoff = dtype == DType::float64 ? 1e16 : row_of(dtype).real.exponent_cutoff;
    std::string text;
    if (size != 0 && (size < 1e-4 || size >= cutoff)) {
        text = scientific(decimal, 2);
        if (decimal.fraction_digits() == 0) text.erase(1, 1);
    } else {
        text = positional(decimal);
        if (text.back() == '.') text.pop_back();
    }
    return std::signbit(value) ? "-" + text : text;
}

std::string float_text(double value, DType dtype) {
    std::string text = bare_float_text(value, dtype);
    if (text.find_first_of(".enif") == std::string::npos) text += ".0";
    return text;
}

bool FloatFormat::choose_exponent_form(std::span<const double> values) const {
    double largest = 0;
    double smallest = std::numeric_limits<double>::infinity();
    for (const double value : values) {
        if (!std::isfinite(value) || value == 0) continue;
        largest = std::max(largest, std::abs(value));
        smallest = std::min(smallest, std::abs(value));
    }
    if (largest == 0) return false;
    if (largest >= row_of(dtype_).real.exponent_cutoff) return true;
    return !suppress_small_ &&
           (smallest < round_to(1e-4, dtype_) || round_to(largest / smallest, dtype_) > 1000);
}

// Returns the digits of a finite number in the array's form, with its sign.
std::string FloatFormat::digits_of(double value, int min_digits) const {
    const double size = std::abs(value);
    Decimal decimal = shortest(size, dtype_);
    std::string text;
    if (exponent_form_) {
        if (decimal.fraction_digits() > precision_) {
            decimal = exact(size, precision_);
            trim_zeros(decimal.digits);
            if (decimal.digits.empty()) decimal.digits = "0";
        }
        if (decimal.fraction_digits() < min_digits) decimal = exact(size, min_digits);
        text = scientific(decimal, exponent_digits_);
    } else if (decimal.fraction_digits() - decimal.exponent > precision_) {
        text = chars_of(size, std::chars_format::fixed, precision_);
        if (precision_ == 0) text += '.';
        trim_zeros(text);
    } else if (decimal.fraction_digits() < decimal.exponent) {
        text = chars_of(size, std::chars_format::fixed, 0) + ".";  // whole numbers stay exact
    } else {
        text = positional(decimal);
    }
    if (std::signbit(value)) return "-" + text;
    return sign_ == PrintSign::plus ? "+" + text : text;
}

FloatFormat::FloatFormat(std::span<const double> values, DType dtype, const PrintOptions& options)
    : dtype_(dtype),
      precision_(options.precision),
      suppress_small_(options.suppress_small),
      sign_(options.sign) {
    exponent_form_ = choose_exponent_form(values);
    bool has_non_finite = false;
    bool has_negative_infinity = sign_ != PrintSign::none;
    bool has_negative = false;
    for (const double value : values) {
        if (!std::isfinite(value)) {
            has_non_finite = true;
            has_negative_infinity |= std::isinf(value) && value < 0;
            continue;
        }
        has_negative |= std::signbit(value);
        const std::string text = digits_of(value, 0);
        const std::size_t point = text.find('.');
        const std::size_t end = std::min(text.find('e'), text.size());
        pad_left_ = std::max(pad_left_, static_cast<int>(point));
        fraction_digits_ = std::max(fraction_digits_, static_cast<int>(end - point) - 1);
        exponent_digits_ = std::max(exponent_digits_, static_cast<int>(text.size() - end) - 2);
    }
    if (sign_ == PrintSign::space && !has_negative) ++pad_left_;
    pad_right_ = exponent_form_ ? exponent_digits_ + 2 + fraction_digits_ : fraction_digits_;
    if (has_non_finite) {
        const int columns = 3 + (has_negative_infinity ? 1 : 0);
        pad_left_ = std::max(pad_left_, columns - pad_right_ - 1);
    }
}

std::string FloatFormat::operator()(double value) const {
    if (!std::isfinite(value)) {
        return fmt::format("{:>{}}", non_finite_text(value, sign_), pad_left_ + pad_right_ + 1);
    }
    const std::string text = digits_of(value, exponent_form_ ? fraction_digits_ : 0);
    const auto before = static_cast<int>(text.find('.'));
    const auto after = static_cast<int>(text.size()) - before - 1;
    return fmt::format("{:{}}{}{:{}}", "", pad_left_ - before, text, "", pad_right_ - after);
}

}  // namespace kgen
