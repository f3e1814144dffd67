// SPDX-License-Identifier: MIT
#include "expression/compare_with_limits.hpp"

#include <kgen/math.hpp>
#include <limits>

namespace kgen {

namespace {

using detail::Function;

bool is_logical(Function function) noexcept {
    return function == Function::logical_and || function == Function::logical_or ||
           function == Function::logical_xor;
}

// Returns the comparison with the limit that has the result of the comparison with the number beyond it.
Function with_limit(Function function, bool left_is_less) noexcept {
    const bool is_true =
        function == Function::not_equal ||
        (left_is_less ? function == Function::less || function == Function::less_equal
                      : function == Function::greater || function == Function::greater_equal);
    if (left_is_less) return is_true ? Function::less_equal : Function::greater;
    return is_true ? Function::greater_equal : Function::less;
}

bool is_negative(const Scalar& number) noexcept {
    const DTypeKind kind = kind_of(number.dtype());
    return kind == DTypeKind::real ? number.real_value() < 0
                                   : kind == DTypeKind::signed_integer && number.signed_value() < 0;
}

}  // namespace

bool takes_any_number(std::uint16_t word, DType dtype) noexcept {
    const auto function = static_cast<Function>(word - tape_word::first_function);
    return kind_of(dtype) != DTypeKind::complex &&
           (is_logical(function) || function == Function::equal ||
            function == Function::not_equal || function == Function::less ||
            function == Function::less_equal || function == Function::greater ||
            function == Function::greater_equal);
}

bool compare_with_limits(detail::Tape& tape, const NodeList& list) {
    const auto function_of = [&](const ComparedNumber& each) {
        return static_cast<Function>(tape.code[each.word] - tape_word::first_function);
    };
    const auto fits = [&](const ComparedNumber& each) {
        std::byte bytes[16];
        return convert_scalar(tape.numbers[each.number], each.dtype, bytes).empty();
    };
    bool changed = false;
    for (const ComparedNumber& each : list.compared_numbers) {
        if (fits(each)) continue;
        changed = true;
        if (is_logical(function_of(each)) || kind_of(each.dtype) == DTypeKind::real) continue;
        const bool below = is_negative(tape.numbers[each.number]);
        tape.code[each.word] = static_cast<std::uint16_t>(
            tape_word::first_function +
            static_cast<std::uint16_t>(with_limit(function_of(each), below == each.is_first)));
    }
    if (!changed) return false;
    // Several functions may have the same number, so the numbers change after all functions.
    for (const ComparedNumber& each : list.compared_numbers) {
        if (fits(each)) continue;
        Scalar& number = tape.numbers[each.number];
        const bool below = is_negative(number);
        if (is_logical(function_of(each))) {
            number = 1;  // true, as the number is
        } else if (kind_of(each.dtype) == DTypeKind::real) {
            number = (below ? -1 : 1) * std::numeric_limits<double>::infinity();
        } else {
            number = visit_dtype(each.dtype, [&]<typename T>() -> Scalar {
                using Limits = std::numeric_limits<T>;
                return below ? Limits::min() : Limits::max();
            });
        }
    }
    return true;
}

}  // namespace kgen
