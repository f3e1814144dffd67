// SPDX-License-Identifier: MIT
//
// The functions of the template library as functions of arrays and expressions. Each returns an Expression; at
// least one operand is an array or an expression, the others may be numbers. The names and the results are NumPy's;
// kernel_templates/library/README.md lists the differences. Reductions take axis(...) and keepdims, and reduce all
// axes without them.
//
// Written from the library by tests/tree/math_header_test.cpp.
#pragma once

#include <cstdint>
#include <kgen/expression.hpp>
#include <kgen/indexing.hpp>
#include <utility>

namespace kgen {

namespace detail {

// clang-format off
// The templates of the library by name: each(name).
#define KGEN_FUNCTIONS(each) \
    each(abs) \
    each(add) \
    each(all) \
    each(angle) \
    each(any) \
    each(arccos) \
    each(arccosh) \
    each(arcsin) \
    each(arcsinh) \
    each(arctan) \
    each(arctan2) \
    each(arctanh) \
    each(argmax) \
    each(argmin) \
    each(axpby) \
    each(axpy) \
    each(bernoulli) \
    each(bitwise_and) \
    each(bitwise_count) \
    each(bitwise_or) \
    each(bitwise_xor) \
    each(cast) \
    each(cbrt) \
    each(ceil) \
    each(clip) \
    each(conjugate) \
    each(copysign) \
    each(cos) \
    each(cosh) \
    each(count_nonzero) \
    each(daxpy) \
    each(degrees) \
    each(divide) \
    each(divmod) \
    each(dot) \
    each(elu) \
    each(equal) \
    each(erf) \
    each(erfc) \
    each(exp) \
    each(exp2) \
    each(expm1) \
    each(exponential) \
    each(fabs) \
    each(float_power) \
    each(floor) \
    each(floor_divide) \
    each(fma) \
    each(fmax) \
    each(fmin) \
    each(fmod) \
    each(frexp) \
    each(gamma) \
    each(gcd) \
    each(gelu) \
    each(gelu_tanh) \
    each(greater) \
    each(greater_equal) \
    each(heaviside) \
    each(hypot) \
    each(i0) \
    each(imag) \
    each(integers) \
    each(invert) \
    each(isclose) \
    each(iscomplex) \
    each(isfinite) \
    each(isinf) \
    each(isnan) \
    each(isneginf) \
    each(isposinf) \
    each(isreal) \
    each(l1norm) \
    each(l2norm) \
    each(lcm) \
    each(ldexp) \
    each(leaky_relu) \
    each(left_shift) \
    each(lerp) \
    each(less) \
    each(less_equal) \
    each(lgamma) \
    each(log) \
    each(log10) \
    each(log1p) \
    each(log2) \
    each(logaddexp) \
    each(logaddexp2) \
    each(logical_and) \
    each(logical_not) \
    each(logical_or) \
    each(logical_xor) \
    each(logsumexp) \
    each(max) \
    each(maximum) \
    each(maxnorm) \
    each(mean) \
    each(min) \
    each(minimum) \
    each(mish) \
    each(modf) \
    each(multiply) \
    each(nan_to_num) \
    each(nanargmax) \
    each(nanargmin) \
    each(nanmax) \
    each(nanmean) \
    each(nanmin) \
    each(nanprod) \
    each(nanstd) \
    each(nansum) \
    each(nanvar) \
    each(negative) \
    each(nextafter) \
    each(normal) \
    each(not_equal) \
    each(positive) \
    each(power) \
    each(prod) \
    each(ptp) \
    each(radians) \
    each(real) \
    each(reciprocal) \
    each(relu) \
    each(relu6) \
    each(remainder) \
    each(right_shift) \
    each(rint) \
    each(round) \
    each(round_to) \
    each(rsqrt) \
    each(saxpy) \
    each(selu) \
    each(sigmoid) \
    each(sign) \
    each(signbit) \
    each(silu) \
    each(sin) \
    each(sinc) \
    each(sinh) \
    each(softplus) \
    each(softsign) \
    each(spacing) \
    each(sqrt) \
    each(square) \
    each(std) \
    each(subtract) \
    each(sum) \
    each(sum_compensated) \
    each(tan) \
    each(tanh) \
    each(to_bfloat16) \
    each(to_bool) \
    each(to_complex128) \
    each(to_complex64) \
    each(to_float16) \
    each(to_float32) \
    each(to_float64) \
    each(to_int16) \
    each(to_int32) \
    each(to_int64) \
    each(to_int8) \
    each(to_uint16) \
    each(to_uint32) \
    each(to_uint64) \
    each(to_uint8) \
    each(trunc) \
    each(uniform) \
    each(var) \
    each(where)

#define KGEN_ENUMERATOR(name) name,
enum class Function : std::uint16_t { KGEN_FUNCTIONS(KGEN_ENUMERATOR) };
#undef KGEN_ENUMERATOR

}  // namespace detail

// The absolute value; real of complex numbers.
template <ArrayOperand X>
[[nodiscard]] Expression abs(X&& x) {
    return detail::apply(detail::Function::abs, std::forward<X>(x));
}
// The absolute value; real of complex numbers.
template <ArrayOperand X>
[[nodiscard]] Expression absolute(X&& x) {
    return detail::apply(detail::Function::abs, std::forward<X>(x));
}
// x + y; of bools the logical or.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression add(X&& x, Y&& y) {
    return detail::apply(detail::Function::add, std::forward<X>(x), std::forward<Y>(y));
}
// Whether all are true: not 0.
template <typename X, typename... M>
Expression AllObject::operator()(X&& x, M&&... markers) const {
    return detail::reduce(detail::Function::all, (detail::ReductionAxes() << ... << markers), std::forward<X>(x));
}
// The angle of the complex number; of real numbers 0 or pi.
template <ArrayOperand X>
[[nodiscard]] Expression angle(X&& x) {
    return detail::apply(detail::Function::angle, std::forward<X>(x));
}
// Whether one is true: not 0.
template <ArrayOperand X, ReductionMarker... M>
[[nodiscard]] Expression any(X&& x, M&&... markers) {
    return detail::reduce(detail::Function::any, (detail::ReductionAxes() << ... << markers), std::forward<X>(x));
}
// The inverse cosine.
template <ArrayOperand X>
[[nodiscard]] Expression arccos(X&& x) {
    return detail::apply(detail::Function::arccos, std::forward<X>(x));
}
// The inverse cosine.
template <ArrayOperand X>
[[nodiscard]] Expression acos(X&& x) {
    return detail::apply(detail::Function::arccos, std::forward<X>(x));
}
// The inverse hyperbolic cosine.
template <ArrayOperand X>
[[nodiscard]] Expression arccosh(X&& x) {
    return detail::apply(detail::Function::arccosh, std::forward<X>(x));
}
// The inverse hyperbolic cosine.
template <ArrayOperand X>
[[nodiscard]] Expression acosh(X&& x) {
    return detail::apply(detail::Function::arccosh, std::forward<X>(x));
}
// The inverse sine.
template <ArrayOperand X>
[[nodiscard]] Expression arcsin(X&& x) {
    return detail::apply(detail::Function::arcsin, std::forward<X>(x));
}
// The inverse sine.
template <ArrayOperand X>
[[nodiscard]] Expression asin(X&& x) {
    return detail::apply(detail::Function::arcsin, std::forward<X>(x));
}
// The inverse hyperbolic sine.
template <ArrayOperand X>
[[nodiscard]] Expression arcsinh(X&& x) {
    return detail::apply(detail::Function::arcsinh, std::forward<X>(x));
}
// The inverse hyperbolic sine.
template <ArrayOperand X>
[[nodiscard]] Expression asinh(X&& x) {
    return detail::apply(detail::Function::arcsinh, std::forward<X>(x));
}
// The inverse tangent.
template <ArrayOperand X>
[[nodiscard]] Expression arctan(X&& x) {
    return detail::apply(detail::Function::arctan, std::forward<X>(x));
}
// The inverse tangent.
template <ArrayOperand X>
[[nodiscard]] Expression atan(X&& x) {
    return detail::apply(detail::Function::arctan, std::forward<X>(x));
}
// The angle of the point (y, x): arctan2(x, y) is that of x / y.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression arctan2(X&& x, Y&& y) {
    return detail::apply(detail::Function::arctan2, std::forward<X>(x), std::forward<Y>(y));
}
// The angle of the point (y, x): arctan2(x, y) is that of x / y.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression atan2(X&& x, Y&& y) {
    return detail::apply(detail::Function::arctan2, std::forward<X>(x), std::forward<Y>(y));
}
// The inverse hyperbolic tangent.
template <ArrayOperand X>
[[nodiscard]] Expression arctanh(X&& x) {
    return detail::apply(detail::Function::arctanh, std::forward<X>(x));
}
// The inverse hyperbolic tangent.
template <ArrayOperand X>
[[nodiscard]] Expression atanh(X&& x) {
    return detail::apply(detail::Function::arctanh, std::forward<X>(x));
}
// Where the largest is, of equals the first; the first NaN if there is one.
template <ArrayOperand X, ReductionMarker... M>
[[nodiscard]] Expression argmax(X&& x, M&&... markers) {
    return detail::reduce(detail::Function::argmax, (detail::ReductionAxes() << ... << markers), std::forward<X>(x));
}
// Where the smallest is, of equals the first; the first NaN if there is one.
template <ArrayOperand X, ReductionMarker... M>
[[nodiscard]] Expression argmin(X&& x, M&&... markers) {
    return detail::reduce(detail::Function::argmin, (detail::ReductionAxes() << ... << markers), std::forward<X>(x));
}
// a * x + b * y.
template <ValueOperand X, ValueOperand Y, ValueOperand Z, ValueOperand W>
requires Operands<X, Y, Z, W>
[[nodiscard]] Expression axpby(X&& a, Y&& x, Z&& b, W&& y) {
    return detail::apply(detail::Function::axpby, std::forward<X>(a), std::forward<Y>(x), std::forward<Z>(b), std::forward<W>(y));
}
// a * x + y.
template <ValueOperand X, ValueOperand Y, ValueOperand Z>
requires Operands<X, Y, Z>
[[nodiscard]] Expression axpy(X&& a, Y&& x, Z&& y) {
    return detail::apply(detail::Function::axpy, std::forward<X>(a), std::forward<Y>(x), std::forward<Z>(y));
}
// x & y.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression bitwise_and(X&& x, Y&& y) {
    return detail::apply(detail::Function::bitwise_and, std::forward<X>(x), std::forward<Y>(y));
}
// How many bits of |x| are 1.
template <ArrayOperand X>
[[nodiscard]] Expression bitwise_count(X&& x) {
    return detail::apply(detail::Function::bitwise_count, std::forward<X>(x));
}
// x | y.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression bitwise_or(X&& x, Y&& y) {
    return detail::apply(detail::Function::bitwise_or, std::forward<X>(x), std::forward<Y>(y));
}
// x ^ y.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression bitwise_xor(X&& x, Y&& y) {
    return detail::apply(detail::Function::bitwise_xor, std::forward<X>(x), std::forward<Y>(y));
}
// The cube root.
template <ArrayOperand X>
[[nodiscard]] Expression cbrt(X&& x) {
    return detail::apply(detail::Function::cbrt, std::forward<X>(x));
}
// The next whole number upwards.
template <ArrayOperand X>
[[nodiscard]] Expression ceil(X&& x) {
    return detail::apply(detail::Function::ceil, std::forward<X>(x));
}
// x, but at least low and at most high; NaN stays.
template <ValueOperand X, ValueOperand Y, ValueOperand Z>
requires Operands<X, Y, Z>
[[nodiscard]] Expression clip(X&& x, Y&& low, Z&& high) {
    return detail::apply(detail::Function::clip, std::forward<X>(x), std::forward<Y>(low), std::forward<Z>(high));
}
// The complex conjugate; real numbers stay, bools become int8.
template <ArrayOperand X>
[[nodiscard]] Expression conjugate(X&& x) {
    return detail::apply(detail::Function::conjugate, std::forward<X>(x));
}
// The complex conjugate; real numbers stay, bools become int8.
template <ArrayOperand X>
[[nodiscard]] Expression conj(X&& x) {
    return detail::apply(detail::Function::conjugate, std::forward<X>(x));
}
// The size of x with the sign of y.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression copysign(X&& x, Y&& y) {
    return detail::apply(detail::Function::copysign, std::forward<X>(x), std::forward<Y>(y));
}
// The cosine.
template <ArrayOperand X>
[[nodiscard]] Expression cos(X&& x) {
    return detail::apply(detail::Function::cos, std::forward<X>(x));
}
// The hyperbolic cosine.
template <ArrayOperand X>
[[nodiscard]] Expression cosh(X&& x) {
    return detail::apply(detail::Function::cosh, std::forward<X>(x));
}
// How many are not 0.
template <ArrayOperand X, ReductionMarker... M>
[[nodiscard]] Expression count_nonzero(X&& x, M&&... markers) {
    return detail::reduce(detail::Function::count_nonzero, (detail::ReductionAxes() << ... << markers), std::forward<X>(x));
}
// a * x + y in float64.
template <ValueOperand X, ValueOperand Y, ValueOperand Z>
requires Operands<X, Y, Z>
[[nodiscard]] Expression daxpy(X&& a, Y&& x, Z&& y) {
    return detail::apply(detail::Function::daxpy, std::forward<X>(a), std::forward<Y>(x), std::forward<Z>(y));
}
// Radians to degrees.
template <ArrayOperand X>
[[nodiscard]] Expression degrees(X&& x) {
    return detail::apply(detail::Function::degrees, std::forward<X>(x));
}
// Radians to degrees.
template <ArrayOperand X>
[[nodiscard]] Expression rad2deg(X&& x) {
    return detail::apply(detail::Function::degrees, std::forward<X>(x));
}
// x / y; of integers and bools in float64.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression divide(X&& x, Y&& y) {
    return detail::apply(detail::Function::divide, std::forward<X>(x), std::forward<Y>(y));
}
// x / y; of integers and bools in float64.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression true_divide(X&& x, Y&& y) {
    return detail::apply(detail::Function::divide, std::forward<X>(x), std::forward<Y>(y));
}
// The sum of x * y; of bools and integers in 64 bits.
template <ValueOperand X, ValueOperand Y, ReductionMarker... M>
requires Operands<X, Y>
[[nodiscard]] Expression dot(X&& x, Y&& y, M&&... markers) {
    return detail::reduce(detail::Function::dot, (detail::ReductionAxes() << ... << markers), std::forward<X>(x), std::forward<Y>(y));
}
// x, but alpha * (exp(x) - 1) where it is negative.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression elu(X&& x, Y&& alpha) {
    return detail::apply(detail::Function::elu, std::forward<X>(x), std::forward<Y>(alpha));
}
// x == y.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression equal(X&& x, Y&& y) {
    return detail::apply(detail::Function::equal, std::forward<X>(x), std::forward<Y>(y));
}
// The error function.
template <ArrayOperand X>
[[nodiscard]] Expression erf(X&& x) {
    return detail::apply(detail::Function::erf, std::forward<X>(x));
}
// 1 - erf(x), exact for large x.
template <ArrayOperand X>
[[nodiscard]] Expression erfc(X&& x) {
    return detail::apply(detail::Function::erfc, std::forward<X>(x));
}
// e to the power of x.
template <ArrayOperand X>
[[nodiscard]] Expression exp(X&& x) {
    return detail::apply(detail::Function::exp, std::forward<X>(x));
}
// 2 to the power of x.
template <ArrayOperand X>
[[nodiscard]] Expression exp2(X&& x) {
    return detail::apply(detail::Function::exp2, std::forward<X>(x));
}
// Exp(x) - 1, exact near 0.
template <ArrayOperand X>
[[nodiscard]] Expression expm1(X&& x) {
    return detail::apply(detail::Function::expm1, std::forward<X>(x));
}
// The absolute value as a floating-point number.
template <ArrayOperand X>
[[nodiscard]] Expression fabs(X&& x) {
    return detail::apply(detail::Function::fabs, std::forward<X>(x));
}
// x to the power of y, in float64 or complex128.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression float_power(X&& x, Y&& y) {
    return detail::apply(detail::Function::float_power, std::forward<X>(x), std::forward<Y>(y));
}
// The next whole number downwards.
template <ArrayOperand X>
[[nodiscard]] Expression floor(X&& x) {
    return detail::apply(detail::Function::floor, std::forward<X>(x));
}
// The quotient rounded down, as in Python; integers by 0 give 0; of bools in int8.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression floor_divide(X&& x, Y&& y) {
    return detail::apply(detail::Function::floor_divide, std::forward<X>(x), std::forward<Y>(y));
}
// x * y + z, rounded once.
template <ValueOperand X, ValueOperand Y, ValueOperand Z>
requires Operands<X, Y, Z>
[[nodiscard]] Expression fma(X&& x, Y&& y, Z&& z) {
    return detail::apply(detail::Function::fma, std::forward<X>(x), std::forward<Y>(y), std::forward<Z>(z));
}
// The larger; the other if one is NaN.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression fmax(X&& x, Y&& y) {
    return detail::apply(detail::Function::fmax, std::forward<X>(x), std::forward<Y>(y));
}
// The smaller; the other if one is NaN.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression fmin(X&& x, Y&& y) {
    return detail::apply(detail::Function::fmin, std::forward<X>(x), std::forward<Y>(y));
}
// What division towards 0 leaves, with the sign of x; integers by 0 give 0; of bools in int8.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression fmod(X&& x, Y&& y) {
    return detail::apply(detail::Function::fmod, std::forward<X>(x), std::forward<Y>(y));
}
// The gamma function.
template <ArrayOperand X>
[[nodiscard]] Expression gamma(X&& x) {
    return detail::apply(detail::Function::gamma, std::forward<X>(x));
}
// The greatest common divisor.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression gcd(X&& x, Y&& y) {
    return detail::apply(detail::Function::gcd, std::forward<X>(x), std::forward<Y>(y));
}
// x times the normal distribution function of x.
template <ArrayOperand X>
[[nodiscard]] Expression gelu(X&& x) {
    return detail::apply(detail::Function::gelu, std::forward<X>(x));
}
// Gelu, approximated by tanh.
template <ArrayOperand X>
[[nodiscard]] Expression gelu_tanh(X&& x) {
    return detail::apply(detail::Function::gelu_tanh, std::forward<X>(x));
}
// x > y.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression greater(X&& x, Y&& y) {
    return detail::apply(detail::Function::greater, std::forward<X>(x), std::forward<Y>(y));
}
// x >= y.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression greater_equal(X&& x, Y&& y) {
    return detail::apply(detail::Function::greater_equal, std::forward<X>(x), std::forward<Y>(y));
}
// 0 for negative x, 1 for positive x, and y at 0; NaN stays.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression heaviside(X&& x, Y&& y) {
    return detail::apply(detail::Function::heaviside, std::forward<X>(x), std::forward<Y>(y));
}
// Sqrt(x * x + y * y) without overflow.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression hypot(X&& x, Y&& y) {
    return detail::apply(detail::Function::hypot, std::forward<X>(x), std::forward<Y>(y));
}
// The modified Bessel function of the first kind of order 0.
template <ArrayOperand X>
[[nodiscard]] Expression i0(X&& x) {
    return detail::apply(detail::Function::i0, std::forward<X>(x));
}
// The imaginary part.
template <ArrayOperand X>
[[nodiscard]] Expression imag(X&& x) {
    return detail::apply(detail::Function::imag, std::forward<X>(x));
}
// ~x; of bools the logical not.
template <ArrayOperand X>
[[nodiscard]] Expression invert(X&& x) {
    return detail::apply(detail::Function::invert, std::forward<X>(x));
}
// ~x; of bools the logical not.
template <ArrayOperand X>
[[nodiscard]] Expression bitwise_invert(X&& x) {
    return detail::apply(detail::Function::invert, std::forward<X>(x));
}
// ~x; of bools the logical not.
template <ArrayOperand X>
[[nodiscard]] Expression bitwise_not(X&& x) {
    return detail::apply(detail::Function::invert, std::forward<X>(x));
}
// Whether |x - y| <= atol + rtol * |y|; NaN is close to nothing.
template <ValueOperand X, ValueOperand Y, ValueOperand Z, ValueOperand W>
requires Operands<X, Y, Z, W>
[[nodiscard]] Expression isclose(X&& x, Y&& y, Z&& rtol, W&& atol) {
    return detail::apply(detail::Function::isclose, std::forward<X>(x), std::forward<Y>(y), std::forward<Z>(rtol), std::forward<W>(atol));
}
// Whether the imaginary part is not 0.
template <ArrayOperand X>
[[nodiscard]] Expression iscomplex(X&& x) {
    return detail::apply(detail::Function::iscomplex, std::forward<X>(x));
}
// Whether it is neither infinite nor NaN.
template <ArrayOperand X>
[[nodiscard]] Expression isfinite(X&& x) {
    return detail::apply(detail::Function::isfinite, std::forward<X>(x));
}
// Whether it is infinite.
template <ArrayOperand X>
[[nodiscard]] Expression isinf(X&& x) {
    return detail::apply(detail::Function::isinf, std::forward<X>(x));
}
// Whether it is NaN.
template <ArrayOperand X>
[[nodiscard]] Expression isnan(X&& x) {
    return detail::apply(detail::Function::isnan, std::forward<X>(x));
}
// Whether it is -infinity.
template <ArrayOperand X>
[[nodiscard]] Expression isneginf(X&& x) {
    return detail::apply(detail::Function::isneginf, std::forward<X>(x));
}
// Whether it is infinity.
template <ArrayOperand X>
[[nodiscard]] Expression isposinf(X&& x) {
    return detail::apply(detail::Function::isposinf, std::forward<X>(x));
}
// Whether the imaginary part is 0.
template <ArrayOperand X>
[[nodiscard]] Expression isreal(X&& x) {
    return detail::apply(detail::Function::isreal, std::forward<X>(x));
}
// The sum of absolute values.
template <ArrayOperand X, ReductionMarker... M>
[[nodiscard]] Expression l1norm(X&& x, M&&... markers) {
    return detail::reduce(detail::Function::l1norm, (detail::ReductionAxes() << ... << markers), std::forward<X>(x));
}
// The square root of the sum of squares.
template <ArrayOperand X, ReductionMarker... M>
[[nodiscard]] Expression l2norm(X&& x, M&&... markers) {
    return detail::reduce(detail::Function::l2norm, (detail::ReductionAxes() << ... << markers), std::forward<X>(x));
}
// The least common multiple; 0 if one is 0.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression lcm(X&& x, Y&& y) {
    return detail::apply(detail::Function::lcm, std::forward<X>(x), std::forward<Y>(y));
}
// x * 2 ** exponent.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression ldexp(X&& x, Y&& exponent) {
    return detail::apply(detail::Function::ldexp, std::forward<X>(x), std::forward<Y>(exponent));
}
// x, but slope * x where it is negative.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression leaky_relu(X&& x, Y&& slope) {
    return detail::apply(detail::Function::leaky_relu, std::forward<X>(x), std::forward<Y>(slope));
}
// x << y; 0 where y is negative or not below the bits of x; of bools in int8.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression left_shift(X&& x, Y&& y) {
    return detail::apply(detail::Function::left_shift, std::forward<X>(x), std::forward<Y>(y));
}
// x << y; 0 where y is negative or not below the bits of x; of bools in int8.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression bitwise_left_shift(X&& x, Y&& y) {
    return detail::apply(detail::Function::left_shift, std::forward<X>(x), std::forward<Y>(y));
}
// From x at weight 0 to y at weight 1, exact at both.
template <ValueOperand X, ValueOperand Y, ValueOperand Z>
requires Operands<X, Y, Z>
[[nodiscard]] Expression lerp(X&& x, Y&& y, Z&& weight) {
    return detail::apply(detail::Function::lerp, std::forward<X>(x), std::forward<Y>(y), std::forward<Z>(weight));
}
// x < y.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression less(X&& x, Y&& y) {
    return detail::apply(detail::Function::less, std::forward<X>(x), std::forward<Y>(y));
}
// x <= y.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression less_equal(X&& x, Y&& y) {
    return detail::apply(detail::Function::less_equal, std::forward<X>(x), std::forward<Y>(y));
}
// The logarithm of |gamma(x)|.
template <ArrayOperand X>
[[nodiscard]] Expression lgamma(X&& x) {
    return detail::apply(detail::Function::lgamma, std::forward<X>(x));
}
// The logarithm of |gamma(x)|.
template <ArrayOperand X>
[[nodiscard]] Expression gammaln(X&& x) {
    return detail::apply(detail::Function::lgamma, std::forward<X>(x));
}
// The natural logarithm.
template <ArrayOperand X>
[[nodiscard]] Expression log(X&& x) {
    return detail::apply(detail::Function::log, std::forward<X>(x));
}
// The logarithm to base 10.
template <ArrayOperand X>
[[nodiscard]] Expression log10(X&& x) {
    return detail::apply(detail::Function::log10, std::forward<X>(x));
}
// Log(1 + x), exact near 0.
template <ArrayOperand X>
[[nodiscard]] Expression log1p(X&& x) {
    return detail::apply(detail::Function::log1p, std::forward<X>(x));
}
// The logarithm to base 2.
template <ArrayOperand X>
[[nodiscard]] Expression log2(X&& x) {
    return detail::apply(detail::Function::log2, std::forward<X>(x));
}
// Log(exp(x) + exp(y)) without overflow.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression logaddexp(X&& x, Y&& y) {
    return detail::apply(detail::Function::logaddexp, std::forward<X>(x), std::forward<Y>(y));
}
// Log2(exp2(x) + exp2(y)) without overflow.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression logaddexp2(X&& x, Y&& y) {
    return detail::apply(detail::Function::logaddexp2, std::forward<X>(x), std::forward<Y>(y));
}
// Whether both are true: not 0.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression logical_and(X&& x, Y&& y) {
    return detail::apply(detail::Function::logical_and, std::forward<X>(x), std::forward<Y>(y));
}
// Whether it is false: 0.
template <ArrayOperand X>
[[nodiscard]] Expression logical_not(X&& x) {
    return detail::apply(detail::Function::logical_not, std::forward<X>(x));
}
// Whether one is true: not 0.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression logical_or(X&& x, Y&& y) {
    return detail::apply(detail::Function::logical_or, std::forward<X>(x), std::forward<Y>(y));
}
// Whether just one is true: not 0.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression logical_xor(X&& x, Y&& y) {
    return detail::apply(detail::Function::logical_xor, std::forward<X>(x), std::forward<Y>(y));
}
// Log(sum(exp(x))) without overflow.
template <ArrayOperand X, ReductionMarker... M>
[[nodiscard]] Expression logsumexp(X&& x, M&&... markers) {
    return detail::reduce(detail::Function::logsumexp, (detail::ReductionAxes() << ... << markers), std::forward<X>(x));
}
// The largest; NaN if one is NaN.
template <ArrayOperand X, ReductionMarker... M>
[[nodiscard]] Expression max(X&& x, M&&... markers) {
    return detail::reduce(detail::Function::max, (detail::ReductionAxes() << ... << markers), std::forward<X>(x));
}
// The largest; NaN if one is NaN.
template <ArrayOperand X, ReductionMarker... M>
[[nodiscard]] Expression amax(X&& x, M&&... markers) {
    return detail::reduce(detail::Function::max, (detail::ReductionAxes() << ... << markers), std::forward<X>(x));
}
// The larger; NaN if one is NaN.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression maximum(X&& x, Y&& y) {
    return detail::apply(detail::Function::maximum, std::forward<X>(x), std::forward<Y>(y));
}
// The largest absolute value, 0 of nothing; NaN if one is NaN.
template <ArrayOperand X, ReductionMarker... M>
[[nodiscard]] Expression maxnorm(X&& x, M&&... markers) {
    return detail::reduce(detail::Function::maxnorm, (detail::ReductionAxes() << ... << markers), std::forward<X>(x));
}
// The mean; of bools and integers in float64.
template <ArrayOperand X, ReductionMarker... M>
[[nodiscard]] Expression mean(X&& x, M&&... markers) {
    return detail::reduce(detail::Function::mean, (detail::ReductionAxes() << ... << markers), std::forward<X>(x));
}
// The smallest; NaN if one is NaN.
template <ArrayOperand X, ReductionMarker... M>
[[nodiscard]] Expression min(X&& x, M&&... markers) {
    return detail::reduce(detail::Function::min, (detail::ReductionAxes() << ... << markers), std::forward<X>(x));
}
// The smallest; NaN if one is NaN.
template <ArrayOperand X, ReductionMarker... M>
[[nodiscard]] Expression amin(X&& x, M&&... markers) {
    return detail::reduce(detail::Function::min, (detail::ReductionAxes() << ... << markers), std::forward<X>(x));
}
// The smaller; NaN if one is NaN.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression minimum(X&& x, Y&& y) {
    return detail::apply(detail::Function::minimum, std::forward<X>(x), std::forward<Y>(y));
}
// x * tanh(softplus(x)).
template <ArrayOperand X>
[[nodiscard]] Expression mish(X&& x) {
    return detail::apply(detail::Function::mish, std::forward<X>(x));
}
// x * y; of bools the logical and.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression multiply(X&& x, Y&& y) {
    return detail::apply(detail::Function::multiply, std::forward<X>(x), std::forward<Y>(y));
}
// 0 for NaN, the largest finite numbers for infinities.
template <ArrayOperand X>
[[nodiscard]] Expression nan_to_num(X&& x) {
    return detail::apply(detail::Function::nan_to_num, std::forward<X>(x));
}
// Where the largest is that is not NaN, of equals the first; -1 if all are NaN.
template <ArrayOperand X, ReductionMarker... M>
[[nodiscard]] Expression nanargmax(X&& x, M&&... markers) {
    return detail::reduce(detail::Function::nanargmax, (detail::ReductionAxes() << ... << markers), std::forward<X>(x));
}
// Where the smallest is that is not NaN, of equals the first; -1 if all are NaN.
template <ArrayOperand X, ReductionMarker... M>
[[nodiscard]] Expression nanargmin(X&& x, M&&... markers) {
    return detail::reduce(detail::Function::nanargmin, (detail::ReductionAxes() << ... << markers), std::forward<X>(x));
}
// The largest that is not NaN; NaN if all are.
template <ArrayOperand X, ReductionMarker... M>
[[nodiscard]] Expression nanmax(X&& x, M&&... markers) {
    return detail::reduce(detail::Function::nanmax, (detail::ReductionAxes() << ... << markers), std::forward<X>(x));
}
// The mean of what is not NaN; NaN if all are; of bools and integers in float64.
template <ArrayOperand X, ReductionMarker... M>
[[nodiscard]] Expression nanmean(X&& x, M&&... markers) {
    return detail::reduce(detail::Function::nanmean, (detail::ReductionAxes() << ... << markers), std::forward<X>(x));
}
// The smallest that is not NaN; NaN if all are.
template <ArrayOperand X, ReductionMarker... M>
[[nodiscard]] Expression nanmin(X&& x, M&&... markers) {
    return detail::reduce(detail::Function::nanmin, (detail::ReductionAxes() << ... << markers), std::forward<X>(x));
}
// The product of what is not NaN; of bools and integers in 64 bits.
template <ArrayOperand X, ReductionMarker... M>
[[nodiscard]] Expression nanprod(X&& x, M&&... markers) {
    return detail::reduce(detail::Function::nanprod, (detail::ReductionAxes() << ... << markers), std::forward<X>(x));
}
// The standard deviation of what is not NaN; NaN if all are.
template <ArrayOperand X, ReductionMarker... M>
[[nodiscard]] Expression nanstd(X&& x, M&&... markers) {
    return detail::reduce(detail::Function::nanstd, (detail::ReductionAxes() << ... << markers), std::forward<X>(x));
}
// The sum of what is not NaN; of bools and integers in 64 bits.
template <ArrayOperand X, ReductionMarker... M>
[[nodiscard]] Expression nansum(X&& x, M&&... markers) {
    return detail::reduce(detail::Function::nansum, (detail::ReductionAxes() << ... << markers), std::forward<X>(x));
}
// The variance of what is not NaN; NaN if all are.
template <ArrayOperand X, ReductionMarker... M>
[[nodiscard]] Expression nanvar(X&& x, M&&... markers) {
    return detail::reduce(detail::Function::nanvar, (detail::ReductionAxes() << ... << markers), std::forward<X>(x));
}
// -x.
template <ArrayOperand X>
[[nodiscard]] Expression negative(X&& x) {
    return detail::apply(detail::Function::negative, std::forward<X>(x));
}
// The number after x towards y.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression nextafter(X&& x, Y&& y) {
    return detail::apply(detail::Function::nextafter, std::forward<X>(x), std::forward<Y>(y));
}
// x != y.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression not_equal(X&& x, Y&& y) {
    return detail::apply(detail::Function::not_equal, std::forward<X>(x), std::forward<Y>(y));
}
// +x.
template <ArrayOperand X>
[[nodiscard]] Expression positive(X&& x) {
    return detail::apply(detail::Function::positive, std::forward<X>(x));
}
// x to the power of y; of integers negative powers are 0, but those of 1 and -1; of bools in int8.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression power(X&& x, Y&& y) {
    return detail::apply(detail::Function::power, std::forward<X>(x), std::forward<Y>(y));
}
// x to the power of y; of integers negative powers are 0, but those of 1 and -1; of bools in int8.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression pow(X&& x, Y&& y) {
    return detail::apply(detail::Function::power, std::forward<X>(x), std::forward<Y>(y));
}
// The product; of bools and integers in 64 bits.
template <ArrayOperand X, ReductionMarker... M>
[[nodiscard]] Expression prod(X&& x, M&&... markers) {
    return detail::reduce(detail::Function::prod, (detail::ReductionAxes() << ... << markers), std::forward<X>(x));
}
// The largest minus the smallest; NaN if one is NaN.
template <ArrayOperand X, ReductionMarker... M>
[[nodiscard]] Expression ptp(X&& x, M&&... markers) {
    return detail::reduce(detail::Function::ptp, (detail::ReductionAxes() << ... << markers), std::forward<X>(x));
}
// Degrees to radians.
template <ArrayOperand X>
[[nodiscard]] Expression radians(X&& x) {
    return detail::apply(detail::Function::radians, std::forward<X>(x));
}
// Degrees to radians.
template <ArrayOperand X>
[[nodiscard]] Expression deg2rad(X&& x) {
    return detail::apply(detail::Function::radians, std::forward<X>(x));
}
// The real part.
template <ArrayOperand X>
[[nodiscard]] Expression real(X&& x) {
    return detail::apply(detail::Function::real, std::forward<X>(x));
}
// 1 / x; of integers rounded to 0, also of 0; of bools in int8.
template <ArrayOperand X>
[[nodiscard]] Expression reciprocal(X&& x) {
    return detail::apply(detail::Function::reciprocal, std::forward<X>(x));
}
// x, but 0 where it is negative; NaN stays.
template <ArrayOperand X>
[[nodiscard]] Expression relu(X&& x) {
    return detail::apply(detail::Function::relu, std::forward<X>(x));
}
// x between 0 and 6; NaN stays.
template <ArrayOperand X>
[[nodiscard]] Expression relu6(X&& x) {
    return detail::apply(detail::Function::relu6, std::forward<X>(x));
}
// What floor_divide leaves, with the sign of y; integers by 0 give 0; of bools in int8.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression remainder(X&& x, Y&& y) {
    return detail::apply(detail::Function::remainder, std::forward<X>(x), std::forward<Y>(y));
}
// What floor_divide leaves, with the sign of y; integers by 0 give 0; of bools in int8.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression mod(X&& x, Y&& y) {
    return detail::apply(detail::Function::remainder, std::forward<X>(x), std::forward<Y>(y));
}
// x >> y; 0, or -1 of negative x, where y is negative or not below the bits of x; of bools in int8.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression right_shift(X&& x, Y&& y) {
    return detail::apply(detail::Function::right_shift, std::forward<X>(x), std::forward<Y>(y));
}
// x >> y; 0, or -1 of negative x, where y is negative or not below the bits of x; of bools in int8.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression bitwise_right_shift(X&& x, Y&& y) {
    return detail::apply(detail::Function::right_shift, std::forward<X>(x), std::forward<Y>(y));
}
// The nearest whole number, of two the even one.
template <ArrayOperand X>
[[nodiscard]] Expression rint(X&& x) {
    return detail::apply(detail::Function::rint, std::forward<X>(x));
}
// The nearest whole number, of two the even one; integers stay.
template <ArrayOperand X>
[[nodiscard]] Expression round(X&& x) {
    return detail::apply(detail::Function::round, std::forward<X>(x));
}
// The nearest whole number, of two the even one; integers stay.
template <ArrayOperand X>
[[nodiscard]] Expression around(X&& x) {
    return detail::apply(detail::Function::round, std::forward<X>(x));
}
// x rounded to so many decimals; to tens, hundreds.. if negative.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression round_to(X&& x, Y&& decimals) {
    return detail::apply(detail::Function::round_to, std::forward<X>(x), std::forward<Y>(decimals));
}
// x rounded to so many decimals; to tens, hundreds.. if negative.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression round(X&& x, Y&& decimals) {
    return detail::apply(detail::Function::round_to, std::forward<X>(x), std::forward<Y>(decimals));
}
// x rounded to so many decimals; to tens, hundreds.. if negative.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression around(X&& x, Y&& decimals) {
    return detail::apply(detail::Function::round_to, std::forward<X>(x), std::forward<Y>(decimals));
}
// 1 / sqrt(x).
template <ArrayOperand X>
[[nodiscard]] Expression rsqrt(X&& x) {
    return detail::apply(detail::Function::rsqrt, std::forward<X>(x));
}
// a * x + y in float32.
template <ValueOperand X, ValueOperand Y, ValueOperand Z>
requires Operands<X, Y, Z>
[[nodiscard]] Expression saxpy(X&& a, Y&& x, Z&& y) {
    return detail::apply(detail::Function::saxpy, std::forward<X>(a), std::forward<Y>(x), std::forward<Z>(y));
}
// Elu of fixed alpha and scale, which keeps mean 0 and variance 1.
template <ArrayOperand X>
[[nodiscard]] Expression selu(X&& x) {
    return detail::apply(detail::Function::selu, std::forward<X>(x));
}
// 1 / (1 + exp(-x)).
template <ArrayOperand X>
[[nodiscard]] Expression sigmoid(X&& x) {
    return detail::apply(detail::Function::sigmoid, std::forward<X>(x));
}
// -1, 0 or 1; NaN stays; of complex numbers x / |x|.
template <ArrayOperand X>
[[nodiscard]] Expression sign(X&& x) {
    return detail::apply(detail::Function::sign, std::forward<X>(x));
}
// Whether the sign is set, also of -0.
template <ArrayOperand X>
[[nodiscard]] Expression signbit(X&& x) {
    return detail::apply(detail::Function::signbit, std::forward<X>(x));
}
// x * sigmoid(x).
template <ArrayOperand X>
[[nodiscard]] Expression silu(X&& x) {
    return detail::apply(detail::Function::silu, std::forward<X>(x));
}
// The sine.
template <ArrayOperand X>
[[nodiscard]] Expression sin(X&& x) {
    return detail::apply(detail::Function::sin, std::forward<X>(x));
}
// Sin(pi x) / (pi x), 1 at 0.
template <ArrayOperand X>
[[nodiscard]] Expression sinc(X&& x) {
    return detail::apply(detail::Function::sinc, std::forward<X>(x));
}
// The hyperbolic sine.
template <ArrayOperand X>
[[nodiscard]] Expression sinh(X&& x) {
    return detail::apply(detail::Function::sinh, std::forward<X>(x));
}
// Log(1 + exp(x)) without overflow.
template <ArrayOperand X>
[[nodiscard]] Expression softplus(X&& x) {
    return detail::apply(detail::Function::softplus, std::forward<X>(x));
}
// x / (1 + |x|).
template <ArrayOperand X>
[[nodiscard]] Expression softsign(X&& x) {
    return detail::apply(detail::Function::softsign, std::forward<X>(x));
}
// The distance to the next number away from 0, with the sign of x; of float16 and bfloat16 to the next larger one.
template <ArrayOperand X>
[[nodiscard]] Expression spacing(X&& x) {
    return detail::apply(detail::Function::spacing, std::forward<X>(x));
}
// The square root.
template <ArrayOperand X>
[[nodiscard]] Expression sqrt(X&& x) {
    return detail::apply(detail::Function::sqrt, std::forward<X>(x));
}
// x * x; of bools in int8.
template <ArrayOperand X>
[[nodiscard]] Expression square(X&& x) {
    return detail::apply(detail::Function::square, std::forward<X>(x));
}
// The square root of the variance.
template <ArrayOperand X, ReductionMarker... M>
[[nodiscard]] Expression stddev(X&& x, M&&... markers) {
    return detail::reduce(detail::Function::std, (detail::ReductionAxes() << ... << markers), std::forward<X>(x));
}
// x - y.
template <ValueOperand X, ValueOperand Y>
requires Operands<X, Y>
[[nodiscard]] Expression subtract(X&& x, Y&& y) {
    return detail::apply(detail::Function::subtract, std::forward<X>(x), std::forward<Y>(y));
}
// The sum; of bools and integers in 64 bits.
template <ArrayOperand X, ReductionMarker... M>
[[nodiscard]] Expression sum(X&& x, M&&... markers) {
    return detail::reduce(detail::Function::sum, (detail::ReductionAxes() << ... << markers), std::forward<X>(x));
}
// The sum, rounded as if it were added in twice the digits.
template <ArrayOperand X, ReductionMarker... M>
[[nodiscard]] Expression sum_compensated(X&& x, M&&... markers) {
    return detail::reduce(detail::Function::sum_compensated, (detail::ReductionAxes() << ... << markers), std::forward<X>(x));
}
// The tangent.
template <ArrayOperand X>
[[nodiscard]] Expression tan(X&& x) {
    return detail::apply(detail::Function::tan, std::forward<X>(x));
}
// The hyperbolic tangent.
template <ArrayOperand X>
[[nodiscard]] Expression tanh(X&& x) {
    return detail::apply(detail::Function::tanh, std::forward<X>(x));
}
// x as bfloat16.
template <ArrayOperand X>
[[nodiscard]] Expression to_bfloat16(X&& x) {
    return detail::apply(detail::Function::to_bfloat16, std::forward<X>(x));
}
// x as bool: whether it is not 0.
template <ArrayOperand X>
[[nodiscard]] Expression to_bool(X&& x) {
    return detail::apply(detail::Function::to_bool, std::forward<X>(x));
}
// x as complex128.
template <ArrayOperand X>
[[nodiscard]] Expression to_complex128(X&& x) {
    return detail::apply(detail::Function::to_complex128, std::forward<X>(x));
}
// x as complex64.
template <ArrayOperand X>
[[nodiscard]] Expression to_complex64(X&& x) {
    return detail::apply(detail::Function::to_complex64, std::forward<X>(x));
}
// x as float16.
template <ArrayOperand X>
[[nodiscard]] Expression to_float16(X&& x) {
    return detail::apply(detail::Function::to_float16, std::forward<X>(x));
}
// x as float32.
template <ArrayOperand X>
[[nodiscard]] Expression to_float32(X&& x) {
    return detail::apply(detail::Function::to_float32, std::forward<X>(x));
}
// x as float64.
template <ArrayOperand X>
[[nodiscard]] Expression to_float64(X&& x) {
    return detail::apply(detail::Function::to_float64, std::forward<X>(x));
}
// x as int16.
template <ArrayOperand X>
[[nodiscard]] Expression to_int16(X&& x) {
    return detail::apply(detail::Function::to_int16, std::forward<X>(x));
}
// x as int32.
template <ArrayOperand X>
[[nodiscard]] Expression to_int32(X&& x) {
    return detail::apply(detail::Function::to_int32, std::forward<X>(x));
}
// x as int64.
template <ArrayOperand X>
[[nodiscard]] Expression to_int64(X&& x) {
    return detail::apply(detail::Function::to_int64, std::forward<X>(x));
}
// x as int8.
template <ArrayOperand X>
[[nodiscard]] Expression to_int8(X&& x) {
    return detail::apply(detail::Function::to_int8, std::forward<X>(x));
}
// x as uint16.
template <ArrayOperand X>
[[nodiscard]] Expression to_uint16(X&& x) {
    return detail::apply(detail::Function::to_uint16, std::forward<X>(x));
}
// x as uint32.
template <ArrayOperand X>
[[nodiscard]] Expression to_uint32(X&& x) {
    return detail::apply(detail::Function::to_uint32, std::forward<X>(x));
}
// x as uint64.
template <ArrayOperand X>
[[nodiscard]] Expression to_uint64(X&& x) {
    return detail::apply(detail::Function::to_uint64, std::forward<X>(x));
}
// x as uint8.
template <ArrayOperand X>
[[nodiscard]] Expression to_uint8(X&& x) {
    return detail::apply(detail::Function::to_uint8, std::forward<X>(x));
}
// The next whole number towards 0.
template <ArrayOperand X>
[[nodiscard]] Expression trunc(X&& x) {
    return detail::apply(detail::Function::trunc, std::forward<X>(x));
}
// The next whole number towards 0.
template <ArrayOperand X>
[[nodiscard]] Expression fix(X&& x) {
    return detail::apply(detail::Function::trunc, std::forward<X>(x));
}
// The mean square of the distances from the mean; of complex numbers real.
template <ArrayOperand X, ReductionMarker... M>
[[nodiscard]] Expression var(X&& x, M&&... markers) {
    return detail::reduce(detail::Function::var, (detail::ReductionAxes() << ... << markers), std::forward<X>(x));
}
// x where the condition holds, else y.
template <ValueOperand X, ValueOperand Y, ValueOperand Z>
requires Operands<X, Y, Z>
[[nodiscard]] Expression where(X&& condition, Y&& x, Z&& y) {
    return detail::apply(detail::Function::where, std::forward<X>(condition), std::forward<Y>(x), std::forward<Z>(y));
}
template <typename... Markers>
Expression Array::sum(const Markers&... markers) const {
    return detail::reduce(detail::Function::sum, (detail::ReductionAxes() << ... << markers), *this);
}
template <typename... Markers>
Expression Expression::sum(const Markers&... markers) && {
    return detail::reduce(detail::Function::sum, (detail::ReductionAxes() << ... << markers), std::move(*this));
}
template <typename... Markers>
Expression Array::prod(const Markers&... markers) const {
    return detail::reduce(detail::Function::prod, (detail::ReductionAxes() << ... << markers), *this);
}
template <typename... Markers>
Expression Expression::prod(const Markers&... markers) && {
    return detail::reduce(detail::Function::prod, (detail::ReductionAxes() << ... << markers), std::move(*this));
}
template <typename... Markers>
Expression Array::min(const Markers&... markers) const {
    return detail::reduce(detail::Function::min, (detail::ReductionAxes() << ... << markers), *this);
}
template <typename... Markers>
Expression Expression::min(const Markers&... markers) && {
    return detail::reduce(detail::Function::min, (detail::ReductionAxes() << ... << markers), std::move(*this));
}
template <typename... Markers>
Expression Array::max(const Markers&... markers) const {
    return detail::reduce(detail::Function::max, (detail::ReductionAxes() << ... << markers), *this);
}
template <typename... Markers>
Expression Expression::max(const Markers&... markers) && {
    return detail::reduce(detail::Function::max, (detail::ReductionAxes() << ... << markers), std::move(*this));
}
template <typename... Markers>
Expression Array::mean(const Markers&... markers) const {
    return detail::reduce(detail::Function::mean, (detail::ReductionAxes() << ... << markers), *this);
}
template <typename... Markers>
Expression Expression::mean(const Markers&... markers) && {
    return detail::reduce(detail::Function::mean, (detail::ReductionAxes() << ... << markers), std::move(*this));
}
template <typename... Markers>
Expression Array::var(const Markers&... markers) const {
    return detail::reduce(detail::Function::var, (detail::ReductionAxes() << ... << markers), *this);
}
template <typename... Markers>
Expression Expression::var(const Markers&... markers) && {
    return detail::reduce(detail::Function::var, (detail::ReductionAxes() << ... << markers), std::move(*this));
}
template <typename... Markers>
Expression Array::std(const Markers&... markers) const {
    return detail::reduce(detail::Function::std, (detail::ReductionAxes() << ... << markers), *this);
}
template <typename... Markers>
Expression Expression::std(const Markers&... markers) && {
    return detail::reduce(detail::Function::std, (detail::ReductionAxes() << ... << markers), std::move(*this));
}
template <typename... Markers>
Expression Array::argmin(const Markers&... markers) const {
    return detail::reduce(detail::Function::argmin, (detail::ReductionAxes() << ... << markers), *this);
}
template <typename... Markers>
Expression Expression::argmin(const Markers&... markers) && {
    return detail::reduce(detail::Function::argmin, (detail::ReductionAxes() << ... << markers), std::move(*this));
}
template <typename... Markers>
Expression Array::argmax(const Markers&... markers) const {
    return detail::reduce(detail::Function::argmax, (detail::ReductionAxes() << ... << markers), *this);
}
template <typename... Markers>
Expression Expression::argmax(const Markers&... markers) && {
    return detail::reduce(detail::Function::argmax, (detail::ReductionAxes() << ... << markers), std::move(*this));
}
template <typename... Markers>
Expression Array::any(const Markers&... markers) const {
    return detail::reduce(detail::Function::any, (detail::ReductionAxes() << ... << markers), *this);
}
template <typename... Markers>
Expression Expression::any(const Markers&... markers) && {
    return detail::reduce(detail::Function::any, (detail::ReductionAxes() << ... << markers), std::move(*this));
}
template <typename... Markers>
Expression Array::all(const Markers&... markers) const {
    return detail::reduce(detail::Function::all, (detail::ReductionAxes() << ... << markers), *this);
}
template <typename... Markers>
Expression Expression::all(const Markers&... markers) && {
    return detail::reduce(detail::Function::all, (detail::ReductionAxes() << ... << markers), std::move(*this));
}
// clang-format on

}  // namespace kgen
