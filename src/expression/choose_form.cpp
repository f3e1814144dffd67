// SPDX-License-Identifier: MIT
#include "expression/choose_form.hpp"

#include <algorithm>
#include <array>
#include <kgen/promote_types.hpp>

#include "text/list.hpp"

namespace kgen {

namespace {

// All dtypes in the order in which NumPy's functions try them.
constexpr auto by_size = std::to_array<DType>({bool_,
                                               int8,
                                               uint8,
                                               int16,
                                               uint16,
                                               int32,
                                               uint32,
                                               int64,
                                               uint64,
                                               float16,
                                               bfloat16,
                                               float32,
                                               float64,
                                               complex64,
                                               complex128});

int rank_of(DType dtype) noexcept {
    return static_cast<int>(std::find(by_size.begin(), by_size.end(), dtype) - by_size.begin());
}

// Order of the kinds of numbers: bool, integer, real, complex.
int kind_rank(DType dtype) noexcept {
    switch (kind_of(dtype)) {
        case DTypeKind::boolean:
            return 0;
        case DTypeKind::signed_integer:
        case DTypeKind::unsigned_integer:
            return 1;
        case DTypeKind::real:
            return 2;
        case DTypeKind::complex:
            break;
    }
    return 3;
}

// Whether a form takes integers in place of a placeholder.
bool takes_integers(const TemplateOverload& form) noexcept {
    return std::any_of(form.where.begin(), form.where.end(), [](const PlaceholderTypes& each) {
        return std::any_of(each.dtypes.begin(), each.dtypes.end(), [](DType dtype) {
            return kind_rank(dtype) == 1;
        });
    });
}

// Returns the least of the dtypes that holds `dtype`.
std::optional<DType> least_that_holds(DType dtype, const std::vector<DType>& dtypes) {
    for (const DType each : by_size) {
        if (is_one_of(each, dtypes) && promote_types(dtype, each) == each) return each;
    }
    return std::nullopt;
}

enum class Widening { no, yes };

// Whether an operand may be passed for a parameter whose dtype is fixed. Any array serves as a condition.
bool takes(DType parameter, const OperandType& operand, Widening widening) {
    if (operand.is_number) return kind_rank(operand.dtype) <= kind_rank(parameter);
    if (operand.dtype == parameter) return true;
    return widening == Widening::yes &&
           (parameter == bool_ || promote_types(operand.dtype, parameter) == parameter);
}

std::optional<FormChoice> fit(const TemplateOverload& form,
                              std::span<const OperandType> operands,
                              Widening widening) {
    const std::vector<Parameter>& parameters = form.signature.parameters;
    FormChoice choice{.form = &form};
    const auto bound = [&](char letter) -> DType* {
        for (auto& [each, dtype] : choice.placeholders) {
            if (each == letter) return &dtype;
        }
        return nullptr;
    };
    for (const bool numbers : {false, true}) {
        for (std::size_t k = 0; k < operands.size(); ++k) {
            const OperandType& operand = operands[k];
            if (operand.is_number != numbers) continue;
            if (parameters[k].dtype) {
                if (!takes(*parameters[k].dtype, operand, widening)) return std::nullopt;
            } else if (DType* dtype = bound(parameters[k].placeholder)) {
                *dtype = numbers ? dtype_beside_number(*dtype, operand.dtype)
                                 : promote_types(*dtype, operand.dtype);
            } else {
                choice.placeholders.emplace_back(parameters[k].placeholder, operand.dtype);
            }
        }
    }
    for (const PlaceholderTypes& allowed : form.where) {
        DType* dtype = bound(allowed.placeholder);
        if (dtype == nullptr) return std::nullopt;
        if (is_one_of(*dtype, allowed.dtypes)) continue;
        const std::optional<DType> held =
            widening == Widening::yes ? least_that_holds(*dtype, allowed.dtypes) : std::nullopt;
        if (!held) return std::nullopt;
        *dtype = *held;
    }
    for (const Parameter& each : parameters) {
        const DType* dtype = each.dtype ? &*each.dtype : bound(each.placeholder);
        if (dtype == nullptr) return std::nullopt;
        choice.dtypes.push_back(*dtype);
    }
    return choice;
}

}  // namespace

DType dtype_beside_number(DType arrays, DType number) noexcept {
    if (kind_rank(number) <= kind_rank(arrays)) return arrays;
    if (kind_rank(number) == 0) return arrays;
    if (kind_rank(number) == 1) return int64;
    if (kind_rank(number) == 2) return float64;
    return kind_rank(arrays) == 2 && arrays != float64 ? complex64 : complex128;
}

std::optional<FormChoice> choose_form(const TemplateDefinition& definition,
                                      std::span<const OperandType> operands) {
    for (const TemplateOverload& form : definition.overloads) {
        if (auto choice = fit(form, operands, Widening::no)) return choice;
    }
    // As in NumPy, a function that takes integers but no bools has no meaning for bools.
    const bool has_bool =
        std::any_of(operands.begin(), operands.end(), [](const OperandType& each) {
            return !each.is_number && each.dtype == bool_;
        });
    if (has_bool &&
        std::any_of(definition.overloads.begin(), definition.overloads.end(), takes_integers))
        return std::nullopt;
    std::optional<FormChoice> best;
    const auto rank = [](const FormChoice& choice) {
        int largest = 0;
        for (const DType each : choice.dtypes) largest = std::max(largest, rank_of(each));
        return largest;
    };
    for (const TemplateOverload& form : definition.overloads) {
        auto choice = fit(form, operands, Widening::yes);
        if (choice && (!best || rank(*choice) < rank(*best))) best = std::move(choice);
    }
    return best;
}

bool is_same_kind_cast(DType from, DType to) noexcept {
    const auto order = [](DType dtype) {
        const int rank = kind_rank(dtype) * 2;
        return kind_of(dtype) == DTypeKind::unsigned_integer ? rank - 1 : rank;
    };
    return order(from) <= order(to);
}

}  // namespace kgen
