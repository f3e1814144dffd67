// SPDX-License-Identifier: MIT
//
// Decimal text of floating-point numbers, printed as in NumPy 2.3 and later: the shortest digits that read
// back as the same value of the type, cut to a precision and padded to a common width.
#pragma once

#include <kgen/array_printing.hpp>
#include <kgen/dtype.hpp>
#include <span>
#include <string>

namespace kgen {

// Returns the text of a single number: "1.5", "1e+20", "nan". `dtype` is a real dtype. A float16 or float32
// is passed as the double of the same value.
std::string float_text(double value, DType dtype);
// The same without a trailing ".0", as for the parts of a complex number: "1", "-0.5".
std::string bare_float_text(double value, DType dtype);

// The format of all elements of an array, chosen from the elements that will be shown. Uses the options for
// precision, suppress_small and sign.
class FloatFormat {
public:
    FloatFormat(std::span<const double> values, DType dtype, const PrintOptions& options);
    std::string operator()(double value) const;

private:
    bool choose_exponent_form(std::span<const double> values) const;
    std::string digits_of(double value, int min_digits) const;

    DType dtype_;
    int precision_;
    bool suppress_small_;
    PrintSign sign_;
    bool exponent_form_ = false;
    int exponent_digits_ = 2;
    // In exponent form every number has this many digits.
    int fraction_digits_ = 0;
    int pad_left_ = 0;   // columns before the point
    int pad_right_ = 0;  // columns after the point
};

}  // namespace kgen
