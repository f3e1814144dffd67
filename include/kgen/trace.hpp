// SPDX-License-Identifier: MIT
//
// trace(): a kernel from a C++ function of values.
//
//     KernelTemplate rms = trace("rms", [](Value x) { return sqrt(mean(x * x)); });
//     Array y = rms(x, axis(1));
//     KernelTemplate leaky = trace("leaky", [](Value x, Value a) { return where(x > 0, x, a * x); });
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <kgen/export.hpp>
#include <kgen/expression.hpp>
#include <kgen/kernel_template.hpp>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace kgen {

namespace detail {

using TracedFunction = std::function<std::vector<Expression>(std::span<const Value>)>;

KGEN_EXPORT KernelTemplate make_trace(std::string_view name,
                                      std::size_t parameters,
                                      TracedFunction function,
                                      bool has_captures);

template <typename F, std::size_t... k>
constexpr bool takes_values(std::index_sequence<k...>) {
    return std::is_invocable_v<F&, decltype((void(k), std::declval<const Value&>()))...>;
}
// Returns the number of values that the function takes, or 0.
template <typename F, std::size_t count = 16>
constexpr std::size_t count_values() {
    if constexpr (count == 0 || takes_values<F>(std::make_index_sequence<count>())) {
        return count;
    } else {
        return count_values<F, count - 1>();
    }
}

template <typename Result>
std::vector<Expression> list_results(Result&& result) {
    std::vector<Expression> list;
    if constexpr (ArrayOperand<Result>) {
        list.push_back(as_expression(OperandView(std::forward<Result>(result))));
    } else {
        std::apply(
            [&](auto&... each) {
                (list.push_back(as_expression(OperandView(std::move(each)))), ...);
            },
            result);
    }
    return list;
}

}  // namespace detail

// Returns a kernel that computes what the function returns for its values: one expression, or a std::tuple of several
// for a kernel with several outputs. The function runs once for each combination of dtypes that the kernel is called
// with, on the calling thread, and may run again for json(). A reduction in it has no axes; they are given in the
// call, as for any reduction kernel.
//
// Numbers become a part of the kernel. If the function captures anything, write constant(v) for them. Throws TypeError
// if the function uses an array that is no parameter, does not use a parameter, or if the numbers are not constant.
// Throws ShapeError if one kernel cannot compute the result. A call with dtypes that the function does not take throws
// TypeError.
template <typename F>
KernelTemplate trace(std::string_view name, F function) {
    constexpr std::size_t count = detail::count_values<F>();
    static_assert(count > 0,
                  "trace: the function must take 1 to 16 parameters of type kgen::Value");
    return detail::make_trace(
        name,
        count,
        [function](std::span<const Value> values) mutable {
            return [&]<std::size_t... k>(std::index_sequence<k...>) {
                return detail::list_results(function(values[k]...));
            }
            (std::make_index_sequence<count>());
        },
        !std::is_empty_v<F>);
}
template <typename F>
requires(!std::convertible_to<F, std::string_view>) KernelTemplate trace(F function) {
    return trace("", std::move(function));
}

}  // namespace kgen
