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
    bool changed = false;
    for (const ComparedNumber& each : list.compared_numbers) {
        Scalar& number = tape.numbers[each.number];
        std::uint16_t& word = tape.code[each.word];
        const auto function = static_cast<Function>(word - tape_word::first_function);
        std::byte bytes[16];
        if (convert_scalar(number, each.dtype, bytes).empty()) continue;
        changed = true;
        const bool below = is_negative(number);
        if (is_logical(function)) {
            number = 1;  // true, as the number is
        } else if (kind_of(each.dtype) == DTypeKind::real) {
            number = (below ? -1 : 1) * std::numeric_limits<double>::infinity();
        } else {
            number = visit_dtype(each.dtype, [&]<typename T>() -> Scalar {
                using Limits = std::numeric_limits<T>;
                return below ? Limits::min() : Limits::max();
            });
            word = static_cast<std::uint16_t>(
                tape_word::first_function +
                static_cast<std::uint16_t>(with_limit(function, below == each.is_first)));
        }
    }
    return changed;
}

}  // namespace kgen
