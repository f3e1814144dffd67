// SPDX-License-Identifier: MIT
//
// The operators of arrays, with NumPy's meaning: / is true division, % has the sign of the divisor, comparisons
// give bool arrays. Each returns an Expression. At least one operand is an array or an expression.
#pragma once

#include <kgen/array.hpp>
#include <kgen/array_selection.hpp>
#include <kgen/expression.hpp>
#include <kgen/math.hpp>
#include <utility>

namespace kgen {

// clang-format off
#define KGEN_BINARY_OPERATOR(symbol, function)                                             \
    template <ValueOperand X, ValueOperand Y>                                              \
    requires Operands<X, Y>                                                                \
    [[nodiscard]] Expression operator symbol(X&& x, Y&& y) {                               \
        return detail::apply(                                                              \
            detail::Function::function, std::forward<X>(x), std::forward<Y>(y));           \
    }
KGEN_BINARY_OPERATOR(+, add)
KGEN_BINARY_OPERATOR(-, subtract)
KGEN_BINARY_OPERATOR(*, multiply)
KGEN_BINARY_OPERATOR(/, divide)
KGEN_BINARY_OPERATOR(%, remainder)
KGEN_BINARY_OPERATOR(&, bitwise_and)
KGEN_BINARY_OPERATOR(|, bitwise_or)
KGEN_BINARY_OPERATOR(^, bitwise_xor)
KGEN_BINARY_OPERATOR(<<, left_shift)
KGEN_BINARY_OPERATOR(>>, right_shift)
KGEN_BINARY_OPERATOR(==, equal)
KGEN_BINARY_OPERATOR(!=, not_equal)
KGEN_BINARY_OPERATOR(<, less)
KGEN_BINARY_OPERATOR(<=, less_equal)
KGEN_BINARY_OPERATOR(>, greater)
KGEN_BINARY_OPERATOR(>=, greater_equal)
#undef KGEN_BINARY_OPERATOR

#define KGEN_UNARY_OPERATOR(symbol, function)                                              \
    template <ArrayOperand X>                                                              \
    [[nodiscard]] Expression operator symbol(X&& x) {                                      \
        return detail::apply(detail::Function::function, std::forward<X>(x));              \
    }
KGEN_UNARY_OPERATOR(-, negative)
KGEN_UNARY_OPERATOR(~, invert)
KGEN_UNARY_OPERATOR(!, logical_not)
#undef KGEN_UNARY_OPERATOR

// Write the result into the left array, which may be a view or sharded: x[{1}] += row. The operand broadcasts to it. Throw
// TypeError if NumPy's "same_kind" casting does not allow to convert the result to the array's dtype.
#define KGEN_UPDATE_OPERATOR(symbol, function)                                             \
    template <ValueOperand Y>                                                              \
    const Array& operator symbol(const Array& x, Y&& y) {                                  \
        detail::update(                                                                    \
            detail::Function::function, x, detail::OperandView(std::forward<Y>(y)));       \
        return x;                                                                          \
    }                                                                                      \
    template <ValueOperand Y>                                                              \
    const ShardedArray& operator symbol(const ShardedArray& x, Y&& y) {                    \
        detail::update(                                                                    \
            detail::Function::function, x, detail::OperandView(std::forward<Y>(y)));       \
        return x;                                                                          \
    }                                                                                      \
    template <ValueOperand Y>                                                              \
    void operator symbol(SelectedArray&& x, Y&& y) {                                       \
        std::move(x).update(                                                               \
            detail::Function::function, detail::OperandView(std::forward<Y>(y)));          \
    }
KGEN_UPDATE_OPERATOR(+=, add)
KGEN_UPDATE_OPERATOR(-=, subtract)
KGEN_UPDATE_OPERATOR(*=, multiply)
KGEN_UPDATE_OPERATOR(/=, divide)
KGEN_UPDATE_OPERATOR(%=, remainder)
KGEN_UPDATE_OPERATOR(&=, bitwise_and)
KGEN_UPDATE_OPERATOR(|=, bitwise_or)
KGEN_UPDATE_OPERATOR(^=, bitwise_xor)
KGEN_UPDATE_OPERATOR(<<=, left_shift)
KGEN_UPDATE_OPERATOR(>>=, right_shift)
#undef KGEN_UPDATE_OPERATOR
// clang-format on

// They do not compile, because they would have to know whether to compute the right side.
template <typename X, typename Y>
requires(ArrayOperand<X> || ArrayOperand<Y>) Expression operator&&(X&& x, Y&&) {
    static_assert(detail::is_never<X>,
                  "&& does not work on arrays: combine conditions with &, or read one "
                  "element with .item<bool>()");
    return detail::as_expression(std::forward<X>(x));
}
template <typename X, typename Y>
requires(ArrayOperand<X> || ArrayOperand<Y>) Expression operator||(X&& x, Y&&) {
    static_assert(detail::is_never<X>,
                  "|| does not work on arrays: combine conditions with |, or read one "
                  "element with .item<bool>()");
    return detail::as_expression(std::forward<X>(x));
}

}  // namespace kgen
