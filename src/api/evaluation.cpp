// SPDX-License-Identifier: MIT
#include "api/evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <kgen/array_creation.hpp>
#include <kgen/error.hpp>
#include <type_traits>
#include <utility>

#include "device/registry.hpp"
#include "expression/drawn_shapes.hpp"
#include "expression/row_groups.hpp"
#include "image/compile_settings.hpp"
#include "plan/broadcast.hpp"
#include "text/error_parts.hpp"
#include "text/list.hpp"
#include "text/log.hpp"

namespace kgen {

namespace {

bool have_one_shape(std::span<const std::size_t> roots, std::span<const Dims> shapes) {
    return std::all_of(roots.begin(), roots.end(), [&](std::size_t root) {
        return shapes[root] == shapes[roots[0]];
    });
}

}  // namespace

bool has_one_shape(detail::Tape& tape) {
    const KnownStatement& known = find_statement(tape, Joining::joined);
    return have_one_shape(known.statement.list.roots, shapes_of(tape, known));
}

ArraySpec root_spec(const Expression& expression) {
    const TapeHolder tape;
    tape->append(detail::ExpressionAccess::tape(expression));
    return Evaluation(*tape, {}, nullptr).spec();
}

void Evaluation::refuse_sharded() {
    refuse<TypeError>(
        {ErrorKind::argument_type, {}, "a ShardedArray", "an Array"},
        "the arrays of the expression are sharded, so its result is a ShardedArray: "
        "declare it as one, call compute_sharded(), or pass the expression to gather()");
}

void Evaluation::run(std::span<Array> results) {
    const KnownStatement& known = find();
    check_stream();
    std::optional<StreamScope> scope;
    if (stream_ != nullptr) scope.emplace(*stream_);
    try {
        run_known(known, results);
    } catch (const CompileError&) {
        run_present(known, results);
    } catch (const DeviceError&) {
        if (can_compile(compiler(parts_.device().kind()))) explain_error(known);
        run_present(known, results);
    } catch (const Error&) {
        explain_error(known);
    }
}

const KnownStatement& Evaluation::find() {
    const KnownStatement& joined = find_statement(tape_, Joining::joined);
    choice_ = joined.statement.has_rows ? remembered_choice(tape_, parts_, joined)
                                        : RowChoice{.chosen = &joined, .joined = &joined};
    return find_draws(*choice_.chosen);
}

const KnownStatement& Evaluation::find_draws(const KnownStatement& known) {
    if (tape_.shapes.empty() ||
        draws_fit(known.statement, shapes_of(tape_, known), drawn_shapes(tape_)))
        return known;
    return find_statement(tape_, Joining::drawn_apart);
}

void Evaluation::run_known(const KnownStatement& known, std::span<Array> results) {
    const Statement& statement = known.statement;
    const bool direct = !outputs_.empty() && writes_outputs(known);
    if (statement.steps.size() == 1 && results.size() == 1 && (direct || outputs_.empty())) {
        list_parts(known, 0, direct);
        known.kernels[0].call_parts(tape_.parts, results);
        return;
    }
    tape_.results.resize(statement.result_count);
    for (std::size_t k = 0; k < statement.steps.size(); ++k) {
        const Step& step = statement.steps[k];
        list_parts(known, k, direct && k + 1 == statement.steps.size());
        known.kernels[k].call_parts(tape_.parts,
                                    {&tape_.results[step.first_result], step.outputs.size()});
    }
    for (std::size_t k = 0; k < results.size(); ++k)
        results[k] = tape_.results[statement.results[k]];
    if (direct) return;
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
        outputs_[k]->assign(results[k]);
        results[k] = *outputs_[k];
    }
}

// Where nothing can be compiled, runs the statement in another way if only the kernels of that one are compiled.
void Evaluation::run_present(const KnownStatement& known, std::span<Array> results) {
    const std::vector<const KnownStatement*> others = choice_.others();
    if (others.empty() || can_compile(compiler(parts_.device().kind())))
        return run_separately(known, results);
    const std::exception_ptr missing = std::current_exception();
    const NodeList& list = choice_.joined->statement.list;
    for (const KnownStatement* const other : others) {
        // Its elementwise kernel would give all roots the shape of one.
        if (other == choice_.joined && !have_one_shape(list.roots, shapes_of(tape_, *other)))
            continue;
        tape_.results.clear();
        try {
            run_known(*other, results);
        } catch (const Error&) {
            continue;
        }
        log().info(
            "{} computed the expression {}: {} would be quicker, but nothing can be compiled",
            count_kernels(*other),
            node_text(list, list.roots[0]),
            count_kernels(known));
        return;
    }
    try {
        std::rethrow_exception(missing);
    } catch (const Error&) {
        run_separately(known, results);
    }
}

// Runs the functions one by one, as the library defines them: where nothing can be compiled, packs contain these
// kernels. Where a compiler rejects a kernel, this finds the template whose text it rejects.
void Evaluation::run_separately(const KnownStatement& known, std::span<Array> results) {
    const std::exception_ptr error = std::current_exception();
    const bool compiles = can_compile(compiler(parts_.device().kind()));
    const KnownStatement& separate = find_statement(tape_, Joining::separate);
    tape_.results.clear();
    try {
        run_known(separate, results);
    } catch (const CompileError&) {
        throw;
    } catch (const DeviceError&) {
        throw;
    } catch (const Error&) {
        explain_error(separate);
    }
    if (compiles) std::rethrow_exception(error);
    log().info(
        "{} kernels computed the expression {}: its own is not compiled, and nothing can be "
        "compiled",
        separate.kernels.size(),
        node_text(known.statement.list, known.statement.list.roots[0]));
}

// Whether the last kernel may write the given outputs. If not, they are assigned at the end, because a kernel might read
// an output that an earlier one wrote.
bool Evaluation::writes_outputs(const KnownStatement& known) {
    const Statement& statement = known.statement;
    const bool is_last =
        outputs_.size() == 1 ||
        (statement.steps.size() == 1 && statement.steps[0].outputs.size() == outputs_.size());
    if (!is_last) return false;
    for (std::size_t k = 0; k < outputs_.size(); ++k)
        if (!has_shape_of_output(known, k)) return false;
    return true;
}

bool Evaluation::has_shape_of_output(const KnownStatement& known, std::size_t root) {
    stretched_ = {};
    const Array& output = *outputs_[root];
    const Step& last = known.statement.steps.back();
    const StepInput* first = nullptr;
    for (const StepInput& input : last.inputs) {
        if (last.reduction != no_node || input.from != StepInput::From::array) continue;
        if (tape_.arrays[input.index].shape() == output.shape()) return true;
        if (first == nullptr) first = &input;
    }
    const Dims shape = shapes_of(tape_, known)[known.statement.list.roots[root]];
    if (shape == output.shape()) return true;
    Dims both = shape;
    if (!broadcast_to_both(both, output.shape()) || both != output.shape()) {
        refuse<ShapeError>(
            {ErrorKind::shape, {}, to_text(output.shape()), to_text(shape)},
            "the expression has the shape {}, which does not broadcast to the shape {} "
            "of the output",
            to_text(shape),
            to_text(output.shape()));
    }
    // Random numbers are those of the expression's shape.
    if (first == nullptr || outputs_.size() > 1 || !last.drawn.empty()) return false;
    stretched_ = tape_.arrays[first->index].broadcast_to(output.shape());
    return true;
}

BoundLaunch Evaluation::bind() {
    const KnownStatement& found = find();
    // Row kernels may be the slower way, but the only one with a single kernel.
    const bool has_row_kernel = choice_.rows != nullptr && choice_.rows->kernels.size() == 1;
    const KnownStatement& known =
        found.kernels.size() > 1 && has_row_kernel ? find_draws(*choice_.rows) : found;
    const std::size_t count = known.kernels.size();
    const NodeList& list = known.statement.list;
    if (count != 1) {
        refuse<ShapeError>(
            {ErrorKind::option, {}, "1 kernel", std::to_string(count)},
            "bind: the expression needs {} kernels, but a bound launch has one; record "
            "the statement in a Graph with capture()\n  {}",
            count,
            node_text(list, list.roots[0]));
    }
    check_stream();
    try {
        if (!outputs_.empty() && !writes_outputs(known)) {
            refuse<ShapeError>({ErrorKind::shape},
                               "bind: the outputs need the shapes and dtypes of the expressions");
        }
        list_parts(known, 0, !outputs_.empty());
        if (stream_ != nullptr && !tape_.arrays.empty())
            tape_.parts.emplace_back(StreamReference{stream_});
        return known.kernels[0].bind_parts(tape_.parts);
    } catch (const Error&) {
        explain_error(known);
    }
}

std::vector<Explanation> Evaluation::explain(const TargetOptions& wanted) {
    const KnownStatement& joined = find_statement(tape_, Joining::joined);
    Target target =
        wanted.device ? default_target(wanted.device->kind()) : backend(parts_.device()).target();
    if (wanted.arch) target.arch = *wanted.arch;
    choice_ = choose_rows(tape_, parts_, joined, target, Predictions::all);
    const KnownStatement& known = find_draws(*choice_.chosen);
    std::vector<Explanation> list = explain_known(known, wanted);
    std::string text = &known == choice_.chosen ? explain_choice(tape_, choice_) : std::string();
    const auto are_present = [](const std::vector<Explanation>& kernels) {
        return std::all_of(kernels.begin(), kernels.end(), [](const Explanation& each) {
            return each.cached || !each.present_loop.empty();
        });
    };
    if (choice_.rows != nullptr && !can_compile(compiler(target.kind)) && !are_present(list)) {
        for (const KnownStatement* const other : choice_.others()) {
            if (!are_present(explain_known(*other, wanted))) continue;
            text += fmt::format("; nothing can be compiled, so {}, which the cache has",
                                other->kernels.size() == 1 ? "the one kernel runs"
                                                           : count_kernels(*other) + " run");
            break;
        }
    }
    for (Explanation& each : list) each.statement = text;
    return list;
}

std::vector<Explanation> Evaluation::explain_known(const KnownStatement& known,
                                                   const TargetOptions& target) {
    const Statement& statement = known.statement;
    const std::vector<Dims> shapes = shapes_of(tape_, known);
    std::vector<ArraySpec> results;
    std::vector<Explanation> list;
    for (std::size_t k = 0; k < statement.steps.size(); ++k) {
        const Step& step = statement.steps[k];
        parts_.imagine(known, k, results);
        list.push_back(known.kernels[k].explain_parts(tape_.parts, target));
        if (statement.steps.size() > 1) list.back().part = describe_end(statement.list, step);
        for (const std::size_t node : step.outputs)
            results.push_back({.dtype = statement.list.nodes[node].dtype, .shape = shapes[node]});
    }
    return list;
}

bool Evaluation::is_one_statement() {
    const KnownStatement& known = find();
    std::vector<std::size_t> rest = known.statement.list.roots;
    for (const Step& step : known.statement.steps) {
        if (step.reductions.empty()) continue;
        std::erase_if(rest, [&](std::size_t root) { return is_one_of(root, step.outputs); });
    }
    return rest.empty() || have_one_shape(rest, shapes_of(tape_, known));
}

ArraySpec Evaluation::spec() {
    const KnownStatement& known = find_statement(tape_, Joining::joined);
    const std::size_t root = known.statement.list.roots[0];
    return {.dtype = known.statement.list.nodes[root].dtype,
            .shape = shapes_of(tape_, known)[root]};
}

void Evaluation::check_stream() const {
    if (stream_ == nullptr || stream_->device() == parts_.device()) return;
    refuse<DeviceError>(
        {ErrorKind::device, {}, to_text(parts_.device()), to_text(stream_->device())},
        "the stream is on {}, but the arrays of the expression are on {}",
        to_text(stream_->device()),
        to_text(parts_.device()));
}

void Evaluation::explain_error(const KnownStatement& known) const {
    const std::exception_ptr error = std::current_exception();
    // The shapes may tell which operation failed.
    static_cast<void>(shapes_of(tape_, known));
    const auto add_place = [&](const auto& each) {
        using Kind = std::remove_cvref_t<decltype(each)>;
        const NodeList& list = (choice_.joined != nullptr ? *choice_.joined : known).statement.list;
        throw with_parts(Kind(fmt::format("{}\n  {}", each.what(), node_text(list, list.roots[0]))),
                         each.parts());
    };
    try {
        std::rethrow_exception(error);
    } catch (const TypeError& each) {
        add_place(each);
    } catch (const ShapeError& each) {
        if (each.parts().kind == ErrorKind::device)
            add_place(with_parts(DeviceError(each.what()), each.parts()));
        add_place(each);
    }
    std::rethrow_exception(error);  // not reached
}

}  // namespace kgen
