// SPDX-License-Identifier: MIT
//
// Expressions of sharded arrays: each kernel of the statement is a call with sharded arrays.
#include <fmt/format.h>

#include <exception>
#include <kgen/error.hpp>
#include <kgen/parse_expression.hpp>
#include <kgen/random.hpp>
#include <optional>

#include "api/evaluation.hpp"
#include "api/statement_parts.hpp"
#include "api/statement_table.hpp"
#include "device/registry.hpp"
#include "expression/drawn_shapes.hpp"
#include "expression/tape.hpp"
#include "image/compile_settings.hpp"
#include "plan/broadcast.hpp"
#include "shard/sharded_array_access.hpp"
#include "shard/sharded_call.hpp"
#include "text/error_parts.hpp"
#include "text/rethrow.hpp"

namespace kgen {

namespace {

using detail::ShardedPart;
using detail::Tape;

void require_sharded(const Tape& tape) {
    if (tape.arrays.empty()) {
        refuse<TypeError>(
            {ErrorKind::argument_type, {}, "a ShardedArray", "no array"},
            "the expression has no ShardedArray, so it is not known how to divide its "
            "result; compute an Array, and shard() it");
    }
    if (!tape.has_own_arrays) return;
    refuse<TypeError>(
        {ErrorKind::argument_type, {}, "a ShardedArray", "an Array"},
        "the expression has an Array, which one rank has, beside arrays that all ranks "
        "share; make it a ShardedArray with shard() or replicate()");
}

// Throws ShapeError if a kernel draws random numbers that do not belong to the elements of its sharded arrays.
void require_drawn(const Tape& tape, const Statement& statement) {
    if (tape.shapes.empty()) return;
    std::vector<Dims> arrays, drawn;
    for (const Array& each : tape.arrays) arrays.push_back(each.shape());
    for (const detail::DrawnShape& each : tape.shapes) drawn.push_back(each.shape);
    const std::vector<Dims> shapes = find_shapes(statement.list, arrays, drawn);
    for (const Step& step : statement.steps) {
        if (step.drawn.empty()) continue;
        Dims inputs;
        for (const StepInput& input : step.inputs) {
            if (input.from == StepInput::From::array)
                broadcast_to_both(inputs, arrays[input.index]);
            if (input.from != StepInput::From::result) continue;
            for (const Step& other : statement.steps) {
                const std::size_t at = input.index - other.first_result;
                if (at < other.outputs.size()) broadcast_to_both(inputs, shapes[other.outputs[at]]);
            }
        }
        const Dims loop = loop_shape(statement.list, step, shapes);
        if (inputs == loop && draws_fit(statement, shapes, drawn)) continue;
        refuse<ShapeError>(
            {ErrorKind::shape, {}, to_text(loop), to_text(inputs)},
            "random numbers in an expression of sharded arrays need the shape of these: "
            "write like(x)\n  {}",
            node_text(statement.list, statement.list.roots[0]));
    }
}

// Computes the roots of a tape.
class ShardedEvaluation {
public:
    // `outputs` are the given outputs, one for each root, or none.
    ShardedEvaluation(Tape& tape, std::span<const ShardedArray* const> outputs)
        : tape_(tape), outputs_(outputs) {
        require_sharded(tape);
        for (const Array& each : tape.arrays)
            leaves_.push_back(ShardedArrayAccess::of_stand_in(each));
    }

    const Communicator& communicator() const { return leaves_[0].communicator(); }

    void run(std::span<ShardedArray> results) {
        const KnownStatement& known = find_statement(tape_, Joining::joined);
        try {
            run_known(known, results);
        } catch (const CompileError&) {
            run_separately(results);
        } catch (const DeviceError&) {
            if (compiles()) throw;
            run_separately(results);
        }
    }

private:
    bool compiles() const {
        const Communicator& ranks = communicator();
        return can_compile(compiler(ranks.device(ranks.local_ranks()[0]).kind()));
    }

    void run_known(const KnownStatement& known, std::span<ShardedArray> results) {
        const Statement& statement = known.statement;
        require_drawn(tape_, statement);
        // The last kernel writes to the outputs if it has all of them.
        const bool is_direct =
            outputs_.size() == 1 ||
            (statement.steps.size() == 1 && statement.steps[0].outputs.size() == outputs_.size());
        std::vector<ShardedArray> made(statement.result_count);
        for (std::size_t k = 0; k < statement.steps.size(); ++k) {
            const Step& step = statement.steps[k];
            std::vector<ShardedPart> parts;
            for (const StepInput& input : step.inputs) {
                if (input.from == StepInput::From::number) {
                    parts.emplace_back(tape_.numbers[input.index]);
                } else {
                    parts.emplace_back(input.from == StepInput::From::array ? leaves_[input.index]
                                                                            : made[input.index]);
                }
            }
            if (is_direct && k + 1 == statement.steps.size())
                for (const ShardedArray* each : outputs_) parts.emplace_back(out(*each));
            if (known.axes[k]) parts.emplace_back(*known.axes[k]);
            if (step.reduction != no_node && statement.list.nodes[step.reduction].keepdims)
                parts.emplace_back(keepdims);
            detail::call_sharded(
                known.kernels[k], parts, {&made[step.first_result], step.outputs.size()});
        }
        for (std::size_t k = 0; k < results.size(); ++k) results[k] = made[statement.results[k]];
        if (is_direct) return;
        for (std::size_t k = 0; k < outputs_.size(); ++k) {
            outputs_[k]->assign(results[k]);
            results[k] = *outputs_[k];
        }
    }

    // Runs the functions one by one, as the library defines them; see Evaluation. All ranks come here, because they look for
    // the same kernels.
    void run_separately(std::span<ShardedArray> results) {
        const std::exception_ptr error = std::current_exception();
        run_known(find_statement(tape_, Joining::separate), results);
        if (compiles()) std::rethrow_exception(error);
    }

    Tape& tape_;
    std::span<const ShardedArray* const> outputs_;
    std::vector<ShardedArray> leaves_;
};

void compute_into(Tape& tape, std::uint16_t cast, const ShardedArray& output) {
    append_cast(tape, cast, output.dtype());
    const ShardedArray* const outputs[] = {&output};
    ShardedArray result;
    ShardedEvaluation(tape, outputs).run({&result, 1});
}

}  // namespace

Like like(const ShardedArray& array) {
    return {array.shape(), array.dtype(), std::nullopt, true};
}

ShardedArray::ShardedArray(Expression&& value) try {
    const TapeHolder tape(detail::ExpressionAccess::take(value));
    ShardedEvaluation(*tape, {}).run({this, 1});
} catch (...) {
    rethrow_as_error();
}

void ShardedArray::assign(Expression&& value) const try {
    const TapeHolder tape(detail::ExpressionAccess::take(value));
    compute_into(*tape, tape_word::cast, *this);
} catch (...) {
    rethrow_as_error();
}

void detail::compute_list(std::span<const StatementPart> list,
                          std::span<ShardedArray> results) try {
    const StatementParts<ShardedArray> parts(list);
    parts.compute(results,
                  has_one_shape,
                  [&](Tape& tape,
                      std::span<const ShardedArray* const> outputs,
                      std::span<ShardedArray> made) {
                      ShardedEvaluation evaluation(tape, outputs);
                      std::optional<StreamScope> scope;
                      if (parts.stream != nullptr) {
                          require_stream_of_ranks(
                              *parts.stream, evaluation.communicator(), "compute_sharded");
                          scope.emplace(*parts.stream);
                      }
                      evaluation.run(made);
                  });
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
