// SPDX-License-Identifier: MIT
//
// Expression: what operators and functions of arrays return. It is computed where its statement ends, as one
// kernel:
//
//     Array z = sqrt(x * x + y);          // one elementwise kernel
//     Array n = sqrt(sum(x * x, axis(1)));  // one reduction
//     z += y;                             // writes into z
//
// <kgen/math.hpp> has the functions, <kgen/operators.hpp> the operators.
#pragma once

#include <fmt/format.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <kgen/array.hpp>
#include <kgen/bound_launch.hpp>
#include <kgen/call_options.hpp>
#include <kgen/explanation.hpp>
#include <kgen/export.hpp>
#include <kgen/scalar.hpp>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kgen {

class Expression;
class Value;

// A number that becomes a part of the kernel that trace() makes; elsewhere it is like any number.
struct Constant {
    Scalar number;
};
template <ScalarType T>
constexpr Constant constant(T number) noexcept {
    return {number};
}

namespace detail {

struct Tape;  // src/expression/tape.hpp: the operations of an expression in postfix order
enum class Function : std::uint16_t;  // <kgen/math.hpp>: the functions of the library
struct ExpressionAccess;
class OperandView;

template <typename>
inline constexpr bool is_never = false;

}  // namespace detail

// An array, a view of one, or an expression.
template <typename T>
concept ArrayOperand = std::derived_from<std::remove_cvref_t<T>, Array> ||
    std::same_as<std::remove_cvref_t<T>, Expression> ||
    std::same_as<std::remove_cvref_t<T>, SelectedArray> ||
    std::same_as<std::remove_cvref_t<T>, Value>;
// An array, an expression or a number.
template <typename T>
concept ValueOperand = ArrayOperand<T> || ScalarType<std::remove_cvref_t<T>> ||
    std::same_as<std::remove_cvref_t<T>, Scalar> || std::same_as<std::remove_cvref_t<T>, Constant>;
// Operands of which at least one is an array or an expression.
template <typename... T>
concept Operands = (ValueOperand<T> && ...) && (ArrayOperand<T> || ...);
// axis(...) or keepdims
template <typename T>
concept ReductionMarker = std::same_as<std::remove_cvref_t<T>, AxesArgument> ||
    std::same_as<std::remove_cvref_t<T>, KeepdimsArgument>;

// Compiles only if the expression is a temporary. An expression is the part of a statement that is not computed
// yet, so it has no second use.
template <typename T>
constexpr void refuse_named_expression() {
    static_assert(
        !std::same_as<std::remove_cvref_t<T>, Expression> ||
            (!std::is_lvalue_reference_v<T> && !std::is_const_v<std::remove_reference_t<T>>),
        "this expression has a name and is not computed: declare it as 'Array', not as 'auto', "
        "or use it once with std::move()");
}

// An expression keeps the arrays that it uses, as handles. The dtypes are NumPy's: those of arrays promote
// (promote_types), and numbers take the dtype of the arrays if their kind allows it. Computing it throws
// ShapeError if shapes do not broadcast, TypeError if a function has no form for its dtypes or a number does not
// fit, DeviceError if the arrays are on different devices. The messages show where in the expression.
//
// The elementwise part before a reduction becomes its map, and what follows and uses no other array becomes its
// post-map. So `sqrt(sum(x * x))` is one kernel, and `exp(x - max(x, axis(1), keepdims))` are two. An expression of
// more than 64 operations or 24 arrays is computed in parts.
//
// An expression is used by one thread at a time.
class [[nodiscard]] KGEN_EXPORT Expression {
public:
    Expression(Expression&& other) noexcept : tape_(std::exchange(other.tape_, nullptr)) {}
    Expression(const Expression&) = delete;
    Expression& operator=(const Expression&) = delete;
    Expression& operator=(Expression&&) = delete;
    ~Expression() {
        if (tape_ != nullptr) release();
    }

    // Computes the expression on the current stream of the arrays' device. Throws Error if it was moved from.
    Array compute() &&;
    template <typename T = Array>
    Array compute() const& {
        refuse_named_expression<const std::conditional_t<detail::is_never<T>, T, Expression>&>();
        return {};
    }
    operator Array() && { return std::move(*this).compute(); }  // NOLINT: where the statement ends
    template <std::same_as<Array> T>
    operator T() const& {  // NOLINT
        return compute<T>();
    }
    // Deleted in effect: the truth of an array of several elements is unknown.
    template <std::same_as<bool> T>
    explicit operator T() const {
        static_assert(
            detail::is_never<T>,
            "an expression is neither true nor false: combine conditions with & and |, choose with "
            "where(), or read one element with .item<bool>()");
        return false;
    }

    // Compute the expression and read the result; see the functions of Array.
    template <typename T>
    T item() && {
        return std::move(*this).compute().template item<T>();
    }
    template <typename T>
    std::vector<T> to_vector() && {
        return std::move(*this).compute().template to_vector<T>();
    }
    // Reductions as parts of the expression, as those of Array.
    template <typename... Markers>
    Expression sum(const Markers&... markers) &&;
    template <typename... Markers>
    Expression prod(const Markers&... markers) &&;
    template <typename... Markers>
    Expression min(const Markers&... markers) &&;
    template <typename... Markers>
    Expression max(const Markers&... markers) &&;
    template <typename... Markers>
    Expression mean(const Markers&... markers) &&;
    template <typename... Markers>
    Expression var(const Markers&... markers) &&;
    template <typename... Markers>
    Expression std(const Markers&... markers) &&;
    template <typename... Markers>
    Expression argmin(const Markers&... markers) &&;
    template <typename... Markers>
    Expression argmax(const Markers&... markers) &&;
    template <typename... Markers>
    Expression any(const Markers&... markers) &&;
    template <typename... Markers>
    Expression all(const Markers&... markers) &&;
    // Converts like Array::astype, as a part of the expression.
    Expression astype(DType dtype) &&;

private:
    friend struct detail::ExpressionAccess;
    explicit Expression(detail::Tape* tape) noexcept : tape_(tape) {}
    void release() noexcept;

    detail::Tape* tape_;
};

// A parameter of a function that trace() makes a kernel from, or a result in it that is used several times:
//
//     [](Value x) {
//         Value d = x - 1;
//         return d * d;
//     }
class KGEN_EXPORT Value {
public:
    Value(Expression&& expression);  // NOLINT: names an intermediate result

    template <std::same_as<bool> T>
    explicit operator T() const {
        static_assert(detail::is_never<T>,
                      "a value is not known when the kernel is made: choose with where(), combine "
                      "conditions with & "
                      "and |");
        return false;
    }

private:
    friend struct detail::ExpressionAccess;
    friend class detail::OperandView;
    explicit Value(std::shared_ptr<const detail::Tape> tape) : tape_(std::move(tape)) {}
    std::shared_ptr<const detail::Tape> tape_;
};

namespace detail {

// One operand of a function, which it borrows until the function returns.
class OperandView {
public:
    template <ArrayOperand T>
    OperandView(T&& operand) {  // NOLINT
        refuse_named_expression<T&&>();
        if constexpr (std::same_as<std::remove_cvref_t<T>, Expression>) {
            expression_ = const_cast<Expression*>(&operand);
        } else if constexpr (std::same_as<std::remove_cvref_t<T>, SelectedArray>) {
            array_ = &operand.taken();
        } else if constexpr (std::same_as<std::remove_cvref_t<T>, Value>) {
            tape_ = operand.tape_.get();
        } else {
            array_ = &operand;
        }
    }
    template <ScalarType T>
    OperandView(T number) noexcept : number_(number) {}              // NOLINT
    OperandView(const Scalar& number) noexcept : number_(number) {}  // NOLINT
    OperandView(const Constant& constant) noexcept                   // NOLINT
        : number_(constant.number), is_constant_(true) {}

    const Array* array() const noexcept { return array_; }
    Expression* expression() const noexcept { return expression_; }
    const Tape* tape() const noexcept { return tape_; }  // of a Value
    const Scalar& number() const noexcept { return number_; }
    bool is_number() const noexcept {
        return array_ == nullptr && expression_ == nullptr && tape_ == nullptr;
    }
    bool is_constant() const noexcept { return is_constant_; }

private:
    const Array* array_ = nullptr;
    Expression* expression_ = nullptr;
    const Tape* tape_ = nullptr;
    Scalar number_ = 0;
    bool is_constant_ = false;
};

// The axes of a reduction; all if there are none.
struct ReductionAxes {
    const AxesArgument* axes = nullptr;
    bool keepdims = false;

    ReductionAxes& operator<<(const AxesArgument& given) noexcept {
        axes = &given;
        return *this;
    }
    ReductionAxes& operator<<(KeepdimsArgument) noexcept {
        keepdims = true;
        return *this;
    }
};

KGEN_EXPORT Expression apply_list(Function function, std::span<const OperandView> operands);
KGEN_EXPORT Expression reduce_list(Function function,
                                   std::span<const OperandView> operands,
                                   const ReductionAxes& axes);
KGEN_EXPORT Expression convert(const OperandView& operand, DType dtype);
KGEN_EXPORT Expression as_expression(const OperandView& operand);
KGEN_EXPORT Expression call_list(std::string_view name,
                                 std::span<const OperandView> operands,
                                 const ReductionAxes& axes);
// Computes the expression into the array. Converts to its dtype, whatever the dtypes.
KGEN_EXPORT void assign(const Array& array, Expression& value);
// Writes function(array, operand) to the array.
KGEN_EXPORT void update(Function function, const Array& array, const OperandView& operand);

// An expression of compute(), or one of its markers.
class StatementPart {
public:
    template <ArrayOperand T>
    StatementPart(T&& operand) : operand_(std::forward<T>(operand)) {}  // NOLINT
    StatementPart(const OutputReference& output) noexcept               // NOLINT
        : operand_(0), output_(output.array) {}
    StatementPart(const OutputArgument& output) noexcept  // NOLINT
        : operand_(0), output_(&output.array) {}
    StatementPart(const StreamReference& stream) noexcept  // NOLINT
        : operand_(0), stream_(stream.stream) {}
    StatementPart(const StreamArgument& stream) noexcept  // NOLINT
        : operand_(0), stream_(&stream.stream) {}

    const OperandView& operand() const noexcept { return operand_; }
    const Array* output() const noexcept { return output_; }
    const Stream* stream() const noexcept { return stream_; }

private:
    OperandView operand_;
    const Array* output_ = nullptr;
    const Stream* stream_ = nullptr;
};

KGEN_EXPORT void compute_list(std::span<const StatementPart> parts, std::span<Array> results);
KGEN_EXPORT BoundLaunch bind_list(std::span<const StatementPart> parts);
KGEN_EXPORT std::vector<Explanation> explain_list(std::span<const StatementPart> parts,
                                                  const TargetOptions& target);

// Returns the argument of a kernel's call as it is, and an expression computed.
template <typename T>
decltype(auto) computed(T&& argument) {
    if constexpr (std::same_as<std::remove_cvref_t<T>, Expression>) {
        refuse_named_expression<T&&>();
        return const_cast<Expression&&>(argument).compute();
    } else if constexpr (std::same_as<std::remove_cvref_t<T>, SelectedArray>) {
        return argument.taken();
    } else {
        return std::forward<T>(argument);
    }
}

template <typename... T>
Expression apply(Function function, T&&... operands) {
    const OperandView list[] = {OperandView(std::forward<T>(operands))...};
    return apply_list(function, list);
}

template <typename... T>
Expression reduce(Function function, const ReductionAxes& axes, T&&... operands) {
    const OperandView list[] = {OperandView(std::forward<T>(operands))...};
    return reduce_list(function, list, axes);
}

}  // namespace detail

// Converts each element to the dtype, as Array::astype does, as a part of an expression.
template <ArrayOperand X>
Expression astype(X&& x, DType dtype) {
    return detail::convert(detail::OperandView(std::forward<X>(x)), dtype);
}

// Computes the expression and formats the result as that of an array.
KGEN_EXPORT std::string to_text(const Expression& expression);

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

// Computes several expressions at once, by one kernel if they have the same shape and no reductions, and returns
// their results. Each may have an output, given in the same order.
//
//     auto [lo, hi] = compute(minimum(x, y), maximum(x, y));
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
requires Operands<X...> Expression call(std::string_view name, X&&... operands) {
    const detail::OperandView list[] = {detail::OperandView(std::forward<X>(operands))...};
    return detail::call_list(name, list, {});
}

template <ArrayOperand X, ReductionMarker M, ReductionMarker... More>
Expression call(std::string_view name, X&& x, const M& marker, const More&... more) {
    const detail::OperandView list[] = {detail::OperandView(std::forward<X>(x))};
    return detail::call_list(name, list, ((detail::ReductionAxes() << marker) << ... << more));
}
template <ValueOperand X, ValueOperand Y, ReductionMarker M, ReductionMarker... More>
requires Operands<X, Y> Expression
call(std::string_view name, X&& x, Y&& y, const M& marker, const More&... more) {
    const detail::OperandView list[] = {detail::OperandView(std::forward<X>(x)),
                                        detail::OperandView(std::forward<Y>(y))};
    return detail::call_list(name, list, ((detail::ReductionAxes() << marker) << ... << more));
}

inline void Array::assign(Expression&& value) const {
    detail::assign(*this, value);
}
inline Argument::Argument(Expression&& expression) : value_(std::move(expression).compute()) {}
inline void IndexedArray::operator=(Expression&& value) && {
    assign(std::move(value));
}

}  // namespace kgen

template <>
struct fmt::formatter<kgen::Expression> : fmt::formatter<fmt::string_view> {
    template <typename Context>
    auto format(const kgen::Expression& expression, Context& context) const {
        return fmt::formatter<fmt::string_view>::format(kgen::to_text(expression), context);
    }
};
