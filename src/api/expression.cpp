// SPDX-License-Identifier: MIT
#include <kgen/compute.hpp>
#include <kgen/error.hpp>
#include <kgen/expression.hpp>
#include <kgen/kernel_template.hpp>
#include <kgen/math.hpp>
#include <memory>
#include <utility>

#include "api/evaluation.hpp"
#include "api/row_function_names.hpp"
#include "api/statement_parts.hpp"
#include "call/template_access.hpp"
#include "expression/function_table.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

using detail::ExpressionAccess;
using detail::StatementPart;
using detail::Tape;

void write_to(Tape& tape, const Array& output, std::uint16_t cast) {
    append_cast(tape, cast, output.dtype());
    const Array* const outputs[] = {&output};
    Array result;
    Evaluation(tape, outputs, nullptr).run({&result, 1});
}

}  // namespace

Array Expression::compute() && try {
    const TapeHolder tape(ExpressionAccess::take(*this));
    Array result;
    Evaluation(*tape, {}, nullptr).run({&result, 1});
    return result;
} catch (...) {
    rethrow_as_error();
}

Dims Expression::shape() && try { return root_spec(*this).shape; } catch (...) {
    rethrow_as_error();
}

DType Expression::dtype() && try { return root_spec(*this).dtype; } catch (...) {
    rethrow_as_error();
}

std::string to_text(const Expression& expression) try {
    const TapeHolder tape;
    tape->append(ExpressionAccess::tape(expression));
    Array result;
    Evaluation(*tape, {}, nullptr).run({&result, 1});
    return to_text(result);
} catch (...) {
    rethrow_as_error();
}

namespace detail {

void assign(const Array& array, Expression& value) try {
    const TapeHolder tape(ExpressionAccess::take(value));
    write_to(*tape, array, tape_word::cast);
} catch (...) {
    rethrow_as_error();
}

void update(Function function, const Array& array, const OperandView& operand) try {
    const TapeHolder tape;
    tape->append(OperandView(array));
    tape->append(operand);
    tape->code.push_back(static_cast<std::uint16_t>(tape_word::first_function +
                                                    static_cast<std::uint16_t>(function)));
    write_to(*tape, array, tape_word::same_kind_cast);
} catch (...) {
    rethrow_as_error();
}

void compute_list(std::span<const StatementPart> list, std::span<Array> results) try {
    const StatementParts<Array> parts(list);
    parts.compute(
        results,
        [&](Tape& tape) {
            return Evaluation(tape, parts.outputs, parts.stream).is_one_statement();
        },
        [&](Tape& tape, std::span<const Array* const> outputs, std::span<Array> made) {
            Evaluation(tape, outputs, parts.stream).run(made);
        });
} catch (...) {
    rethrow_as_error();
}

BoundLaunch bind_list(std::span<const StatementPart> list) try {
    const StatementParts<Array> parts(list);
    const TapeHolder tape;
    for (std::size_t k = 0; k < parts.expressions.size(); ++k) parts.append(*tape, k);
    return Evaluation(*tape, parts.outputs, parts.stream).bind();
} catch (...) {
    rethrow_as_error();
}

std::vector<Explanation> explain_list(std::span<const StatementPart> list,
                                      const TargetOptions& target) try {
    const StatementParts<Array> parts(list);
    const TapeHolder tape;
    for (std::size_t k = 0; k < parts.expressions.size(); ++k) parts.append(*tape, k);
    return Evaluation(*tape, {}, nullptr).explain(target);
} catch (...) {
    rethrow_as_error();
}

Expression call_list(std::string_view name,
                     std::span<const OperandView> operands,
                     const ReductionAxes& axes) try {
    if (const std::optional<double> epsilon = find_row_function(name))
        return call_row_function(name, operands, axes, *epsilon);
    auto found = std::make_shared<const KernelTemplate>(kernel_template(name));
    const TemplateDefinition& definition = TemplateAccess::definition(*found);
    if (operands.size() != static_cast<std::size_t>(found->input_count())) {
        refuse<TypeError>({ErrorKind::argument_count,
                           {},
                           std::to_string(found->input_count()),
                           std::to_string(operands.size())},
                          "call: template '{}' takes {} inputs, but {} are given",
                          name,
                          found->input_count(),
                          operands.size());
    }
    if (found->output_count() != 1) {
        refuse<TypeError>(
            {ErrorKind::argument_count, {}, "1", std::to_string(found->output_count())},
            "call: template '{0}' has {1} outputs, and an expression has one; call "
            "kernel_template(\"{0}\") with arrays",
            name,
            found->output_count());
    }
    if (definition.kind == TemplateKind::elementwise && (axes.axes != nullptr || axes.keepdims)) {
        refuse<TypeError>(
            {ErrorKind::option, axes.axes != nullptr ? "axis" : "keepdims"},
            "call: template '{}' is elementwise; axis and keepdims go with reductions",
            name);
    }
    const auto function = static_cast<Function>(function_number(definition, found));
    if (definition.kind == TemplateKind::reduction) return reduce_list(function, operands, axes);
    return apply_list(function, operands);
} catch (...) {
    rethrow_as_error();
}

}  // namespace detail

}  // namespace kgen
