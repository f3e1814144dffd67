// SPDX-License-Identifier: MIT
//
// Expressions of sharded arrays: each kernel of the statement is a call with sharded arrays.
#include <fmt/format.h>

#include <kgen/error.hpp>
#include <kgen/parse_expression.hpp>

#include "api/statement_table.hpp"
#include "expression/tape.hpp"
#include "shard/sharded_array_access.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

using detail::ShardedPart;
using detail::Tape;

void require_sharded(const Tape& tape) {
    if (!tape.has_own_arrays) return;
    refuse<TypeError>(
        {ErrorKind::argument_type, {}, "a ShardedArray", "an Array"},
        "the expression has an Array, which one rank has, beside arrays that all ranks "
        "share; make it a ShardedArray with shard() or replicate()");
}

// Computes the first root. The last kernel writes to `output`, if one is given.
ShardedArray compute(Tape& tape, const ShardedArray* output) {
    require_sharded(tape);
    const KnownStatement& known = find_statement(tape, Joining::joined);
    const Statement& statement = known.statement;
    std::vector<ShardedArray> leaves;
    for (const Array& each : tape.arrays) leaves.push_back(ShardedArrayAccess::of_stand_in(each));
    std::vector<ShardedArray> results(statement.result_count);
    for (std::size_t k = 0; k < statement.steps.size(); ++k) {
        const Step& step = statement.steps[k];
        std::vector<ShardedPart> parts;
        for (const StepInput& input : step.inputs) {
            if (input.from == StepInput::From::number) {
                parts.emplace_back(tape.numbers[input.index]);
            } else {
                parts.emplace_back(input.from == StepInput::From::array ? leaves[input.index]
                                                                        : results[input.index]);
            }
        }
        const bool is_last = k + 1 == statement.steps.size();
        if (is_last && output != nullptr) parts.emplace_back(out(*output));
        if (known.axes[k]) parts.emplace_back(*known.axes[k]);
        if (step.reduction != no_node && statement.list.nodes[step.reduction].keepdims)
            parts.emplace_back(keepdims);
        detail::call_sharded(
            known.kernels[k], parts, {&results[step.first_result], step.outputs.size()});
    }
    return results[statement.results[0]];
}

void compute_into(Tape& tape, std::uint16_t cast, const ShardedArray& output) {
    tape.code.push_back(cast);
    tape.code.push_back(static_cast<std::uint16_t>(output.dtype()));
    compute(tape, &output);
}

}  // namespace

ShardedArray::ShardedArray(Expression&& value) try {
    const TapeHolder tape(detail::ExpressionAccess::take(value));
    *this = compute(*tape, nullptr);
} catch (...) {
    rethrow_as_error();
}

void ShardedArray::assign(Expression&& value) const try {
    const TapeHolder tape(detail::ExpressionAccess::take(value));
    compute_into(*tape, tape_word::cast, *this);
} catch (...) {
    rethrow_as_error();
}

Expression parse_expression(std::string_view text, std::span<const ShardedVariable> variables) try {
    std::vector<detail::NamedOperand> operands;
    for (const auto& [name, number, array] : variables) {
        if (array.has_value()) {
            operands.emplace_back(name, array);
        } else {
            operands.emplace_back(name, number);
        }
    }
    return detail::parse_operands(text, operands);
} catch (...) {
    rethrow_as_error();
}

void detail::update(Function function, const ShardedArray& array, const OperandView& operand) try {
    const TapeHolder tape;
    tape->append(OperandView(array));
    tape->append(operand);
    tape->code.push_back(static_cast<std::uint16_t>(tape_word::first_function +
                                                    static_cast<std::uint16_t>(function)));
    compute_into(*tape, tape_word::same_kind_cast, array);
} catch (...) {
    rethrow_as_error();
}

}  // namespace kgen
