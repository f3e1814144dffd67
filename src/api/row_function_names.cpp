// SPDX-License-Identifier: MIT
#include "api/row_function_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <kgen/error.hpp>
#include <kgen/math.hpp>
#include <kgen/operators.hpp>

#include "api/statement_table.hpp"
#include "expression/tape.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

Expression softmax_of(const Value& x, const AxesArgument& axes, double) {
    const Value e = exp(x - max(x, axes, keepdims));
    return e / sum(e, axes, keepdims);
}

Expression log_softmax_of(const Value& x, const AxesArgument& axes, double) {
    const Value below = x - max(x, axes, keepdims);
    return below - log(sum(exp(below), axes, keepdims));
}

Expression layer_norm_of(const Value& x, const AxesArgument& axes, double epsilon) {
    const Value centred = x - mean(x, axes, keepdims);
    return centred * (1.0 / sqrt(mean(centred * centred, axes, keepdims) + epsilon));
}

Expression rms_norm_of(const Value& x, const AxesArgument& axes, double epsilon) {
    return x * (1.0 / sqrt(mean(x * x, axes, keepdims) + epsilon));
}

Expression normalize_of(const Value& x, const AxesArgument& axes, double epsilon) {
    return x * (1.0 / maximum(sqrt(sum(x * x, axes, keepdims)), epsilon));
}

struct RowFunction {
    std::string_view name;
    Expression (*make)(const Value& x, const AxesArgument& axes, double epsilon);
    double epsilon;
};

constexpr RowFunction row_functions[] = {{"softmax", softmax_of, 0},
                                         {"log_softmax", log_softmax_of, 0},
                                         {"layer_norm", layer_norm_of, 1e-5},
                                         {"rms_norm", rms_norm_of, 1e-5},
                                         {"normalize", normalize_of, 1e-12}};

const RowFunction* find(std::string_view name) noexcept {
    const auto found = std::find_if(std::begin(row_functions),
                                    std::end(row_functions),
                                    [&](const RowFunction& each) { return each.name == name; });
    return found == std::end(row_functions) ? nullptr : found;
}

DType dtype_of(const detail::OperandView& x) {
    if (x.array() != nullptr) return x.array()->dtype();
    const TapeHolder tape;
    tape->append(x.tape() != nullptr ? *x.tape() : detail::ExpressionAccess::tape(*x.expression()));
    const NodeList& list = find_statement(*tape, Joining::joined).statement.list;
    return list.nodes[list.roots[0]].dtype;
}

}  // namespace

std::optional<double> find_row_function(std::string_view name) noexcept {
    const RowFunction* const found = find(name);
    return found == nullptr ? std::nullopt : std::optional(found->epsilon);
}

Expression call_row_function(std::string_view name,
                             std::span<const detail::OperandView> operands,
                             const detail::ReductionAxes& axes,
                             double default_epsilon) {
    const std::size_t most = default_epsilon > 0 ? 2 : 1;
    if (operands.empty() || operands.size() > most)
        refuse<TypeError>({ErrorKind::argument_count,
                           {},
                           most == 2 ? "1 or 2" : "1",
                           std::to_string(operands.size())},
                          "{} takes {}, but {} operands are given",
                          name,
                          most == 2 ? "x and epsilon" : "x",
                          operands.size());
    double epsilon = default_epsilon;
    if (operands.size() == 2) {
        if (!operands[1].is_number())
            refuse<TypeError>({ErrorKind::argument_type, "epsilon", "a number", "an array"},
                              "{}: epsilon is an array, expected a number",
                              name);
        const std::string problem = convert_scalar(operands[1].number(), float64, &epsilon);
        if (!problem.empty())
            refuse<TypeError>({ErrorKind::value, "epsilon", "a real number", problem},
                              "{}: epsilon: {}",
                              name,
                              problem);
    }
    if (axes.keepdims)
        refuse<TypeError>({ErrorKind::option, "keepdims", "no keepdims", "keepdims"},
                          "{}: the result has the shape of x, so there is no keepdims",
                          name);
    return detail::row_function(
        name, operands[0], axes.axes != nullptr ? *axes.axes : axis(-1), epsilon);
}

namespace detail {

Expression row_function(std::string_view name,
                        const OperandView& x,
                        const AxesArgument& axes,
                        double epsilon) try {
    const RowFunction* const function = find(name);
    if (function == nullptr)
        refuse<SignatureError>({ErrorKind::name, {}, {}, std::string(name)},
                               "there is no function of rows '{}'",
                               name);
    const DType dtype = dtype_of(x);
    if (kind_of(dtype) == DTypeKind::complex)
        refuse<TypeError>({ErrorKind::dtype, "x", "a real dtype", std::string(to_text(dtype))},
                          "{}: x is {}, expected a real dtype",
                          name,
                          to_text(dtype));
    const bool is_narrow = dtype == DType::float16 || dtype == DType::bfloat16;
    const bool is_whole = kind_of(dtype) != DTypeKind::real;
    const Value value = is_narrow  ? convert(x, float32)
                        : is_whole ? convert(x, float64)
                                   : as_expression(x);
    Expression result = function->make(value, axes, epsilon);
    return is_narrow ? std::move(result).astype(dtype) : std::move(result);
} catch (...) {
    rethrow_as_error();
}

}  // namespace detail

}  // namespace kgen
