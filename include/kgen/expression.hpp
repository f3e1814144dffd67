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

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <kgen/array.hpp>
#include <kgen/call_options.hpp>
#include <kgen/export.hpp>
#include <kgen/scalar.hpp>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kgen {

class Expression;
class ShardedArray;  // <kgen/sharded_array.hpp>
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

// An array, a view of one, or an expression. Sharded arrays form expressions with each other, whose results are sharded.
template <typename T>
concept ArrayOperand = std::derived_from<std::remove_cvref_t<T>, Array> ||
    std::same_as<std::remove_cvref_t<T>, Expression> ||
    std::same_as<std::remove_cvref_t<T>, SelectedArray> ||
    std::same_as<std::remove_cvref_t<T>, ShardedArray> ||
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
// post-map, so `sqrt(sum(x * x))` is one kernel. Reductions along the same axes, and what is computed from them and the
// elements of the rows that they reduce, can be one kernel too, which reads a row once if it fits into registers:
// `x - mean(x, axis(1), keepdims)`, softmax, layer_norm. Each reduction must take whole rows. Several kernels compute the
// expression if that is predicted to be quicker, as for a few rows of millions of elements; explain() says which way was
// taken and why. An expression of more than 64 operations or 24 arrays is computed in parts.
//
// An expression is used by one thread at a time.
class KGEN_EXPORT Expression {
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
    // Deleted in effect: the truth of an array of several elements is unknown, and reading a number waits for the
    // device. Explicit, because an implicit conversion would make f(x + 1) ambiguous for an f of arrays and of numbers.
    template <ScalarType T>
    explicit operator T() const {
        static_assert(
            !std::same_as<T, bool>,
            "an expression is neither true nor false: combine conditions with & and |, choose with "
            "where(), or read one element with .item<bool>()");
        static_assert(
            detail::is_never<T> || std::same_as<T, bool>,
            "an expression is not a number: read its only element with .item<T>(), or with "
            ".as<T>(), which converts it");
        return {};
    }

    // Compute the expression and read the result; see the functions of Array.
    template <typename T>
    T item() && {
        return std::move(*this).compute().template item<T>();
    }
    template <typename T>
    T as() && {
        return std::move(*this).compute().template as<T>();
    }
    template <typename T>
    std::vector<T> to_vector() && {
        return std::move(*this).compute().template to_vector<T>();
    }
    // Return what the result will have. Compute nothing.
    Dims shape() &&;
    DType dtype() &&;

    // Compute the expression and return an element, a view or a copy of the result; see the functions of Array.
    // `dots` are those of a pack, or nothing for a single parameter.
    // clang-format off
#define KGEN_MEMBER_OF_RESULT(name, List, dots)                                            \
    template <typename dots A>                                                             \
    Array name(A&& dots each) && {                                                         \
        return std::move(*this).compute().name(std::forward<A>(each) dots);                \
    }                                                                                      \
    Array name(const List& list) && { return std::move(*this).compute().name(list); }      \
    template <typename dots A>                                                             \
    Array name(const A& dots) const& { return compute<void(A dots)>(); }                   \
    template <typename T = Array>                                                          \
    Array name(const List&) const& { return compute<T>(); }
    KGEN_MEMBER_OF_RESULT(operator[], std::initializer_list<Index>, )
    KGEN_MEMBER_OF_RESULT(slice, std::initializer_list<Range>, )
    KGEN_MEMBER_OF_RESULT(reshape, Dims, ...)
    KGEN_MEMBER_OF_RESULT(transpose, Dims, ...)
    KGEN_MEMBER_OF_RESULT(broadcast_to, Dims, )
    KGEN_MEMBER_OF_RESULT(copy, Order, ...)
    KGEN_MEMBER_OF_RESULT(to, Device, )
#undef KGEN_MEMBER_OF_RESULT
    // clang-format on

    // Reductions as parts of the expression, as those of Array.
    template <typename... Markers>
    [[nodiscard]] Expression sum(const Markers&... markers) &&;
    template <typename... Markers>
    [[nodiscard]] Expression prod(const Markers&... markers) &&;
    template <typename... Markers>
    [[nodiscard]] Expression min(const Markers&... markers) &&;
    template <typename... Markers>
    [[nodiscard]] Expression max(const Markers&... markers) &&;
    template <typename... Markers>
    [[nodiscard]] Expression mean(const Markers&... markers) &&;
    template <typename... Markers>
    [[nodiscard]] Expression var(const Markers&... markers) &&;
    template <typename... Markers>
    [[nodiscard]] Expression std(const Markers&... markers) &&;
    template <typename... Markers>
    [[nodiscard]] Expression argmin(const Markers&... markers) &&;
    template <typename... Markers>
    [[nodiscard]] Expression argmax(const Markers&... markers) &&;
    template <typename... Markers>
    [[nodiscard]] Expression any(const Markers&... markers) &&;
    template <typename... Markers>
    [[nodiscard]] Expression all(const Markers&... markers) &&;
    // Converts like Array::astype, as a part of the expression.
    [[nodiscard]] Expression astype(DType dtype) &&;

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

// Returns the array that stands for a sharded one in an expression. It has the dtype and the shape of the whole, and no
// elements can be read from it.
KGEN_EXPORT const Array& stand_in(const ShardedArray& array);

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
        } else if constexpr (std::same_as<std::remove_cvref_t<T>, ShardedArray>) {
            array_ = &stand_in(operand);
            is_sharded_ = true;
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
    bool is_sharded() const noexcept { return is_sharded_; }  // array() is a stand-in

private:
    const Array* array_ = nullptr;
    Expression* expression_ = nullptr;
    const Tape* tape_ = nullptr;
    Scalar number_ = 0;
    bool is_constant_ = false;
    bool is_sharded_ = false;
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
// Computes the expression into the array. Converts to its dtype, whatever the dtypes.
KGEN_EXPORT void assign(const Array& array, Expression& value);
// Writes function(array, operand) to the array.
KGEN_EXPORT void update(Function function, const Array& array, const OperandView& operand);
KGEN_EXPORT void update(Function function, const ShardedArray& array, const OperandView& operand);

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
[[nodiscard]] Expression astype(X&& x, DType dtype) {
    return detail::convert(detail::OperandView(std::forward<X>(x)), dtype);
}

// Computes the expression and formats the result as that of an array.
KGEN_EXPORT std::string to_text(const Expression& expression);

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
