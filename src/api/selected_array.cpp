// SPDX-License-Identifier: MIT
//
// x[indices], x[mask] and choose(), which are statements of expressions.
#include <kgen/array_creation.hpp>
#include <kgen/array_selection.hpp>
#include <kgen/error.hpp>
#include <kgen/math.hpp>
#include <kgen/operators.hpp>
#include <utility>

#include "api/evaluation.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

Expression choose_from(const Array& index, std::span<const Array> choices, std::size_t first) {
    const std::size_t next = first + 1;
    if (next == choices.size()) return astype(choices[first], choices[first].dtype());
    return where(
        index < static_cast<std::int64_t>(next), choices[first], choose_from(index, choices, next));
}

}  // namespace

Expression choose(const Array& index, std::span<const Array> choices) try {
    if (choices.empty()) {
        refuse<ShapeError>({ErrorKind::argument_count, "choices", "at least one array", "none"},
                           "choose: no choices are given");
    }
    return choose_from(index, choices, 0);
} catch (...) {
    rethrow_as_error();
}

bool SelectedArray::is_mask() const {
    if (const Array* array = std::get_if<Array>(&index_)) return array->dtype() == bool_;
    return root_dtype(std::get<Expression>(index_)) == bool_;
}

const Array& SelectedArray::indices() const {
    if (Expression* expression = std::get_if<Expression>(&index_))
        index_ = std::move(*expression).compute();
    return std::get<Array>(index_);
}

const Array& SelectedArray::taken() const try {
    if (taken_) return *taken_;
    if (is_mask()) {
        refuse<TypeError>({ErrorKind::dtype, "index", "integers", "bool"},
                          "x[mask] has as many elements as the mask is true, which must be counted "
                          "first, and kgen "
                          "has no function for that yet; use where(mask, x, other) to keep the "
                          "shape, or x[mask] = number");
    }
    taken_ = take(array_, indices(), axis(0));
    return *taken_;
} catch (...) {
    rethrow_as_error();
}

void SelectedArray::operator=(const Array& values) && try {
    if (is_mask()) {
        refuse<TypeError>({ErrorKind::argument_type, "value", "a number", "an array"},
                          "x[mask] = array would need the elements counted; write "
                          "x.assign(where(mask, array, x)) for an "
                          "array of x's shape");
    }
    put(array_, indices(), values, axis(0));
} catch (...) {
    rethrow_as_error();
}

void SelectedArray::operator=(const Scalar& value) && try {
    if (is_mask()) {
        if (Expression* mask = std::get_if<Expression>(&index_)) {
            array_.assign(where(std::move(*mask), value, array_));
        } else {
            array_.assign(where(std::get<Array>(index_), value, array_));
        }
        return;
    }
    put(array_, indices(), full({}, value, array_.dtype(), {.device = array_.device()}), axis(0));
} catch (...) {
    rethrow_as_error();
}

void SelectedArray::update(detail::Function function, const detail::OperandView& operand) && try {
    const detail::OperandView selected[] = {
        is_mask() ? detail::OperandView(array_) : detail::OperandView(taken()), operand};
    Expression result = detail::apply_list(function, selected);
    if (!is_mask()) return put(array_, indices(), std::move(result).compute(), axis(0));
    if (!operand.is_number()) std::move(*this) = array_;  // refused
    if (Expression* mask = std::get_if<Expression>(&index_)) {
        array_.assign(where(std::move(*mask), std::move(result), array_));
    } else {
        array_.assign(where(std::get<Array>(index_), std::move(result), array_));
    }
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
