// SPDX-License-Identifier: MIT
#include "expression/compare_with_limits.hpp"

#include <kgen/math.hpp>
#include <limits>

namespace kgen {

using detail::Function;

bool is_comparison(std::uint16_t word) noexcept {
    const auto function = static_cast<Function>(word - tape_word::first_function);
    return function == Function::equal || function == Function::not_equal ||
           function == Function::less || function == Function::less_equal ||
           function == Function::greater || function == Function::greater_equal;
}

bool compare_with_limits(detail::Tape& tape, const NodeList& list) {
    bool changed = false;
    for (const IntegerComparison& each : list.comparisons) {
        Scalar& number = tape.numbers[each.number];
        std::byte bytes[16];
        if (convert_scalar(number, each.dtype, bytes).empty()) continue;
        const bool is_negative =
            kind_of(number.dtype()) == DTypeKind::signed_integer && number.signed_value() < 0;
        number = visit_dtype(each.dtype, [&]<typename T>() -> Scalar {
            using Limits = std::numeric_limits<T>;
            return is_negative ? Limits::min() : Limits::max();
        });
        // Whether the operand on the left is less than that on the right, for all elements.
        const bool left_is_less = is_negative == each.number_first;
        const auto before = static_cast<Function>(tape.code[each.word] - tape_word::first_function);
        const bool is_true =
            before == Function::not_equal ||
            (left_is_less ? before == Function::less || before == Function::less_equal
                          : before == Function::greater || before == Function::greater_equal);
        const Function now = left_is_less ? (is_true ? Function::less_equal : Function::greater)
                                          : (is_true ? Function::greater_equal : Function::less);
        tape.code[each.word] =
            static_cast<std::uint16_t>(tape_word::first_function + static_cast<std::uint16_t>(now));
        changed = true;
    }
    return changed;
}

}  // namespace kgen
