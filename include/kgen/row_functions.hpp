// SPDX-License-Identifier: MIT
//
// Functions of rows: the elements of an array along some axes, one axis (the last) unless others are given. Each function
// is a part of a statement, like those of <kgen/math.hpp>, and the statement is one kernel that reads the rows once if
// they fit into registers:
//
//     Array p = softmax(x);                              // along the last axis
//     Array y = layer_norm(x, axis({1, 2})) * w + b;     // one kernel
//     auto [n, m] = compute(x - mean(x, axis(0), keepdims), mean(x, axis(0), keepdims));  // any statement of rows
//
// The results have the dtype of x, or float64 if x is of integers. Those of float16 and bfloat16 are computed in float32
// and rounded once.
#pragma once

#include <kgen/call_options.hpp>
#include <kgen/export.hpp>
#include <kgen/expression.hpp>
#include <string_view>
#include <utility>

namespace kgen {

namespace detail {

// Throws SignatureError if there is no function of rows of this name.
KGEN_EXPORT Expression row_function(std::string_view name,
                                    const OperandView& x,
                                    const AxesArgument& axes,
                                    double epsilon);

}  // namespace detail

// exp(x - max(x)) / sum(exp(x - max(x))): does not overflow.
template <ArrayOperand X>
[[nodiscard]] Expression softmax(X&& x, const AxesArgument& axes = axis(-1)) {
    return detail::row_function("softmax", detail::OperandView(std::forward<X>(x)), axes, 0);
}
// log(softmax(x)), without the rounding errors of small probabilities.
template <ArrayOperand X>
[[nodiscard]] Expression log_softmax(X&& x, const AxesArgument& axes = axis(-1)) {
    return detail::row_function("log_softmax", detail::OperandView(std::forward<X>(x)), axes, 0);
}
// (x - mean(x)) / sqrt(var(x) + epsilon), with the variance from the distances to the mean.
template <ArrayOperand X>
[[nodiscard]] Expression layer_norm(X&& x,
                                    const AxesArgument& axes = axis(-1),
                                    double epsilon = 1e-5) {
    return detail::row_function(
        "layer_norm", detail::OperandView(std::forward<X>(x)), axes, epsilon);
}
// x / sqrt(mean(x * x) + epsilon)
template <ArrayOperand X>
[[nodiscard]] Expression rms_norm(X&& x,
                                  const AxesArgument& axes = axis(-1),
                                  double epsilon = 1e-5) {
    return detail::row_function("rms_norm", detail::OperandView(std::forward<X>(x)), axes, epsilon);
}
// x / max(sqrt(sum(x * x)), epsilon): rows of length 1. Rows of zeros stay as they are.
template <ArrayOperand X>
[[nodiscard]] Expression normalize(X&& x,
                                   const AxesArgument& axes = axis(-1),
                                   double epsilon = 1e-12) {
    return detail::row_function(
        "normalize", detail::OperandView(std::forward<X>(x)), axes, epsilon);
}

}  // namespace kgen
