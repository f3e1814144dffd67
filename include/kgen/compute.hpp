// SPDX-License-Identifier: MIT
//
// Statements with options: compute(), bind() and explain() of expressions, and call(), which joins any template.
#pragma once

#include <array>
#include <cstddef>
#include <kgen/bound_launch.hpp>
#include <kgen/call_options.hpp>
#include <kgen/explanation.hpp>
#include <kgen/export.hpp>
#include <kgen/expression.hpp>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kgen {

struct ShardedOutput;  // <kgen/sharded_array.hpp>

namespace detail {

// An expression of compute(), or one of its markers.
class StatementPart {
public:
    template <ArrayOperand T>
    StatementPart(T&& operand) : operand_(std::forward<T>(operand)) {}  // NOLINT
    StatementPart(const OutputReference& output) noexcept               // NOLINT
        : operand_(0), output_(output.array) {}
    StatementPart(const OutputArgument& output) noexcept  // NOLINT
        : operand_(0), output_(&output.array) {}
    template <std::same_as<ShardedOutput> T>
    StatementPart(const T& output) noexcept  // NOLINT
        : operand_(0), sharded_output_(output.array) {}
    StatementPart(const StreamReference& stream) noexcept  // NOLINT
        : operand_(0), stream_(stream.stream) {}
    StatementPart(const StreamArgument& stream) noexcept  // NOLINT
        : operand_(0), stream_(&stream.stream) {}

    const OperandView& operand() const noexcept { return operand_; }
    const Array* output() const noexcept { return output_; }
    const ShardedArray* sharded_output() const noexcept { return sharded_output_; }
    const Stream* stream() const noexcept { return stream_; }

private:
    OperandView operand_;
    const Array* output_ = nullptr;
    const ShardedArray* sharded_output_ = nullptr;
    const Stream* stream_ = nullptr;
};

KGEN_EXPORT void compute_list(std::span<const StatementPart> parts, std::span<Array> results);
KGEN_EXPORT BoundLaunch bind_list(std::span<const StatementPart> parts);
KGEN_EXPORT std::vector<Explanation> explain_list(std::span<const StatementPart> parts,
                                                  const TargetOptions& target);

KGEN_EXPORT Expression call_list(std::string_view name,
                                 std::span<const OperandView> operands,
                                 const ReductionAxes& axes);

}  // namespace detail

// A marker of compute(): out(array) or on(stream).
template <typename T>
concept StatementMarker = std::same_as<std::remove_cvref_t<T>, OutputReference> ||
    std::same_as<std::remove_cvref_t<T>, OutputArgument> ||
    std::same_as<std::remove_cvref_t<T>, StreamReference> ||
    std::same_as<std::remove_cvref_t<T>, StreamArgument>;

// Computes one expression and returns the result. out(z) names the array that receives it, on(stream) the stream. A
// given output has the expression's shape, or one that it broadcasts to, and a dtype that NumPy's "same_kind" casting
// allows; otherwise throws ShapeError or TypeError.
//
//     compute(x * y, out(z), on(stream));
template <ArrayOperand X, StatementMarker... Markers>
Array compute(X&& expression, Markers&&... markers) {
    const detail::StatementPart parts[] = {std::forward<X>(expression),
                                           std::forward<Markers>(markers)...};
    Array result;
    detail::compute_list(parts, {&result, 1});
    return result;
}

// Computes several expressions at once and returns their results. One kernel computes those that have the same shape and
// no reductions, and another one those whose reductions run along the same axes of the same rows (see Expression). Each
// may have an output, given in the same order.
//
//     auto [lo, hi] = compute(minimum(x, y), maximum(x, y));
//     auto [centred, means] = compute(x - mean(x, axis(1), keepdims), mean(x, axis(1), keepdims));
template <ArrayOperand X, ArrayOperand Y, typename... Parts>
requires((ArrayOperand<Parts> ||
          StatementMarker<Parts>)&&...) auto compute(X&& first, Y&& second, Parts&&... rest) {
    const detail::StatementPart parts[] = {
        std::forward<X>(first), std::forward<Y>(second), std::forward<Parts>(rest)...};
    std::array<Array, (2 + ... + std::size_t{ArrayOperand<Parts>})> results;
    detail::compute_list(parts, results);
    return results;
}

// Prepares a statement of one kernel to be launched any number of times; see GeneratedKernel::bind(). Throws
// ShapeError if the statement needs several kernels: capture a Graph then.
//
//     BoundLaunch step = bind(x * y + z, out(z));
template <ArrayOperand X, typename... Parts>
requires((ArrayOperand<Parts> || StatementMarker<Parts>)&&...) BoundLaunch
    bind(X&& expression, Parts&&... rest) {
    const detail::StatementPart parts[] = {std::forward<X>(expression),
                                           std::forward<Parts>(rest)...};
    return detail::bind_list(parts);
}

// Returns how each kernel of the statement is made, in the order in which they run. Computes nothing.
template <ArrayOperand X>
std::vector<Explanation> explain(X&& expression, const TargetOptions& target = {}) {
    const detail::StatementPart parts[] = {std::forward<X>(expression)};
    return detail::explain_list(parts, target);
}

// Calls a template by name as a part of an expression: one of the library, or of KGEN_TEMPLATE_PATH. Any elementwise or
// reduction template with one output may be called. Those that use `i`, `n`, `_ind`, raw parameters, compiler options
// or code around the loop run as kernels of their own.
//
//     Array y = call("leaky_relu", x * 2, 0.1);
template <ValueOperand... X>
requires Operands<X...>
[[nodiscard]] Expression call(std::string_view name, X&&... operands) {
    const detail::OperandView list[] = {detail::OperandView(std::forward<X>(operands))...};
    return detail::call_list(name, list, {});
}

template <ArrayOperand X, ReductionMarker M, ReductionMarker... More>
[[nodiscard]] Expression call(std::string_view name, X&& x, const M& marker, const More&... more) {
    const detail::OperandView list[] = {detail::OperandView(std::forward<X>(x))};
    return detail::call_list(name, list, ((detail::ReductionAxes() << marker) << ... << more));
}
template <ValueOperand X, ValueOperand Y, ReductionMarker M, ReductionMarker... More>
requires Operands<X, Y>
[[nodiscard]] Expression call(
    std::string_view name, X&& x, Y&& y, const M& marker, const More&... more) {
    const detail::OperandView list[] = {detail::OperandView(std::forward<X>(x)),
                                        detail::OperandView(std::forward<Y>(y))};
    return detail::call_list(name, list, ((detail::ReductionAxes() << marker) << ... << more));
}

}  // namespace kgen
