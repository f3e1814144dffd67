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
#include "plan/broadcast.hpp"
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

Array SelectedArray::masked_view(const Dims& mask) const {
    Dims selected;
    Dims axes;
    for (int axis = 0; axis < array_.rank(); ++axis) {
        if (axis < mask.rank()) {
            selected.push_back(array_.shape()[axis]);
        } else {
            axes.push_back(axis);
        }
    }
    Dims both = selected;
    if (!broadcast_to_both(both, mask) || both != selected) {
        refuse<ShapeError>(
            {ErrorKind::shape, "mask", to_text(selected), to_text(mask)},
            "x[mask]: x has the shape {}, but the mask has {}; a mask has the shape of x or "
            "of its first axes",
            to_text(array_.shape()),
            to_text(mask));
    }
    if (axes.empty()) return array_;
    for (int axis = 0; axis < mask.rank(); ++axis) axes.push_back(axis);
    return array_.transpose(axes);
}

std::optional<Dims> SelectedArray::mask_shape() const {
    if (const Array* array = std::get_if<Array>(&index_)) {
        if (array->dtype() == bool_) return array->shape();
    } else if (ArraySpec spec = root_spec(std::get<Expression>(index_)); spec.dtype == bool_) {
        return spec.shape;
    }
    return {};
}

const Array& SelectedArray::indices() const {
    if (Expression* expression = std::get_if<Expression>(&index_))
        index_ = std::move(*expression).compute();
    return std::get<Array>(index_);
}

const Array& SelectedArray::taken() const try {
    if (taken_) return *taken_;
    if (mask_shape()) {
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
    if (mask_shape()) {
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
    if (const std::optional<Dims> mask_shape = this->mask_shape()) {
        const Array view = masked_view(*mask_shape);
        if (Expression* mask = std::get_if<Expression>(&index_)) {
            view.assign(where(std::move(*mask), value, view));
        } else {
            view.assign(where(std::get<Array>(index_), value, view));
        }
        return;
    }
    put(array_, indices(), full({}, value, array_.dtype(), {.device = array_.device()}), axis(0));
} catch (...) {
    rethrow_as_error();
}

void SelectedArray::update(detail::Function function, const detail::OperandView& operand) && try {
    const std::optional<Dims> mask_shape = this->mask_shape();
    if (!mask_shape) {
        const detail::OperandView selected[] = {detail::OperandView(taken()), operand};
        put(array_, indices(), detail::apply_list(function, selected).compute(), axis(0));
        return;
    }
    if (!operand.is_number()) std::move(*this) = array_;  // refused
    const Array view = masked_view(*mask_shape);
    const detail::OperandView selected[] = {detail::OperandView(view), operand};
    Expression result = detail::apply_list(function, selected);
    if (Expression* mask = std::get_if<Expression>(&index_)) {
        view.assign(where(std::move(*mask), std::move(result), view));
    } else {
        view.assign(where(std::get<Array>(index_), std::move(result), view));
    }
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
