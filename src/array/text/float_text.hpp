// SPDX-License-Identifier: MIT
//
// Decimal text of floating-point numbers, as NumPy 2.3 and later print them: the shortest digits that
// read back as the same value of its own type, cut to a precision, padded to a common width.
#pragma once

#include <kgen/array_printing.hpp>
#include <kgen/dtype.hpp>
#include <span>
#include <string>

namespace kgen {

// The text of one number by itself: "1.5", "1e+20", "nan". `dtype` is a real one; a float16 or float32
// is given as the double of the same value.
std::string float_text(double value, DType dtype);
// The same without a needless ".0", as the parts of a complex number are printed: "1", "-0.5".
std::string bare_float_text(double value, DType dtype);

// How all elements of an array are printed, found from those that will be shown. Of the options the
// precision, suppress_small and the sign count.
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
    int fraction_digits_ = 0;  // in exponent form every number has as many
    int pad_left_ = 0;         // columns before the point
    int pad_right_ = 0;        // and after it
};

}  // namespace kgen
