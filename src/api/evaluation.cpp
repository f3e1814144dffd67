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

std::vector<Dims> drawn_shapes(const detail::Tape& tape) {
    std::vector<Dims> shapes;
    for (const detail::DrawnShape& each : tape.shapes) shapes.push_back(each.shape);
    return shapes;
}

std::vector<Dims> shapes_of(const detail::Tape& tape, const KnownStatement& known) {
    std::vector<Dims> shapes;
    for (const Array& each : tape.arrays) shapes.push_back(each.shape());
    return find_shapes(known.statement.list, shapes, drawn_shapes(tape));
}

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
        run_separately(known, results);
    } catch (const DeviceError&) {
        if (can_compile(compiler(device().kind()))) explain_error(known);
        run_separately(known, results);
    } catch (const Error&) {
        explain_error(known);
    }
}

const KnownStatement& Evaluation::find() {
    const KnownStatement& found = find_rows();
    if (tape_.shapes.empty() ||
        draws_fit(found.statement, shapes_of(tape_, found), drawn_shapes(tape_)))
        return found;
    return find_statement(tape_, Joining::drawn_apart);
}

const KnownStatement& Evaluation::find_rows() {
    const KnownStatement& joined = find_statement(tape_, Joining::joined);
    if (!joined.statement.has_rows) return joined;
    // What this thread found last for some statements, because finding shapes takes longer than a statement.
    struct Found {
        const KnownStatement* joined = nullptr;
        const KnownStatement* chosen = nullptr;
        RowFit fit = RowFit::fits;
        Device device = Device::host();
        DeviceKind kind = DeviceKind::host;
        std::vector<Dims> shapes;
    };
    thread_local std::array<Found, 64> recent;
    Found& found = recent[std::hash<const void*>()(&joined) / alignof(KnownStatement) % 61];
    const Device device = this->device();
    const DeviceKind kind = explained_.value_or(device.kind());
    const bool is_known =
        found.joined == &joined && tape_.shapes.empty() && found.device == device &&
        found.kind == kind &&
        std::equal(tape_.arrays.begin(),
                   tape_.arrays.end(),
                   found.shapes.begin(),
                   found.shapes.end(),
                   [](const Array& array, const Dims& shape) { return array.shape() == shape; });
    if (!is_known) {
        const KnownStatement& rows = find_statement(tape_, Joining::rows);
        std::vector<Dims> shapes;
        for (const Array& each : tape_.arrays) shapes.push_back(each.shape());
        const RowFit fit = find_row_fit(rows.statement,
                                        shapes,
                                        shapes_of(tape_, rows),
                                        kind,
                                        backend(device).limits().processor_count);
        found = {
            &joined, fit == RowFit::fits ? &rows : &joined, fit, device, kind, std::move(shapes)};
    }
    fit_ = found.fit;
    return *found.chosen;
}

void Evaluation::run_known(const KnownStatement& known, std::span<Array> results) {
    const Statement& statement = known.statement;
    const bool direct = !outputs_.empty() && writes_outputs(known);
    if (statement.steps.size() == 1 && results.size() == 1 && (direct || outputs_.empty())) {
        fill_parts(known, 0, direct, tape_.results);
        known.kernels[0].call_parts(tape_.parts, results);
        return;
    }
    tape_.results.resize(statement.result_count);
    for (std::size_t k = 0; k < statement.steps.size(); ++k) {
        const Step& step = statement.steps[k];
        fill_parts(known, k, direct && k + 1 == statement.steps.size(), tape_.results);
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

// Runs the functions one by one, as the library defines them: where nothing can be compiled, packs contain these
// kernels. Where a compiler rejects a kernel, this finds the template whose text it rejects.
void Evaluation::run_separately(const KnownStatement& known, std::span<Array> results) {
    const std::exception_ptr error = std::current_exception();
    const bool compiles = can_compile(compiler(device().kind()));
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

template <typename Results>
void Evaluation::fill_parts(const KnownStatement& known,
                            std::size_t k,
                            bool with_outputs,
                            const Results& results) {
    const Step& step = known.statement.steps[k];
    std::vector<CallPart>& parts = tape_.parts;
    parts.clear();
    bool stretches = with_outputs && stretched_.has_value();
    drawn_ = {};
    for (const StepInput& input : step.inputs) {
        if (input.from == StepInput::From::number) {
            parts.emplace_back(tape_.numbers[input.index]);
        } else if (input.from == StepInput::From::shape) {
            constexpr bool is_imagined = std::is_same_v<Results, std::vector<ArraySpec>>;
            make_drawn(known, k, with_outputs, is_imagined);
            if (is_imagined) {
                parts.emplace_back(drawn_spec_);
            } else {
                parts.emplace_back(drawn_);
            }
        } else if (input.from == StepInput::From::result) {
            parts.emplace_back(results[input.index]);
        } else if (std::exchange(stretches, false)) {
            parts.emplace_back(stretched_);
        } else {
            parts.emplace_back(tape_.arrays[input.index]);
        }
    }
    if (with_outputs) {
        for (const Array* output : outputs_) parts.emplace_back(OutputReference{output});
    } else if (drawn_.has_value()) {
        parts.emplace_back(OutputReference{&drawn_});
    }
    if (!step.drawn.empty()) {
        loop_shape_ = loop_shape(known.statement.list, step, shapes_of(tape_, known));
        parts.emplace_back(detail::LoopShape{&loop_shape_});
    }
    if (tape_.arrays.empty()) {
        own_stream_ = stream_ != nullptr ? *stream_ : current_stream(device());
        parts.emplace_back(StreamReference{&*own_stream_});
    }
    if (step.reduction == no_node) return;
    if (known.axes[k]) parts.emplace_back(*known.axes[k]);
    if (!step.definition.rows && known.statement.list.nodes[step.reduction].keepdims)
        parts.emplace_back(keepdims);
}

// Makes the array that a draw writes if it is a kernel of its own.
void Evaluation::make_drawn(const KnownStatement& known,
                            std::size_t k,
                            bool with_outputs,
                            bool is_imagined) {
    const Step& step = known.statement.steps[k];
    const Node& draw = known.statement.list.nodes[step.outputs[0]];
    const Node& shape = known.statement.list.nodes[draw.operands[0]];
    const Dims& extents = tape_.shapes[shape.slot].shape;
    if (is_imagined) {
        drawn_spec_ = {.dtype = shape.dtype, .shape = extents};
    } else {
        drawn_ = with_outputs ? *outputs_[0] : empty(extents, shape.dtype, {.device = device()});
    }
}

BoundLaunch Evaluation::bind() {
    const KnownStatement& known = find();
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
        fill_parts(known, 0, !outputs_.empty(), tape_.results);
        if (stream_ != nullptr && !tape_.arrays.empty())
            tape_.parts.emplace_back(StreamReference{stream_});
        return known.kernels[0].bind_parts(tape_.parts);
    } catch (const Error&) {
        explain_error(known);
    }
}

std::vector<Explanation> Evaluation::explain(const TargetOptions& target) {
    if (target.device) explained_ = target.device->kind();
    const KnownStatement& known = find();
    const Statement& statement = known.statement;
    const std::vector<Dims> shapes = shapes_of(tape_, known);
    std::vector<ArraySpec> results;
    std::vector<Explanation> list;
    for (std::size_t k = 0; k < statement.steps.size(); ++k) {
        const Step& step = statement.steps[k];
        fill_parts(known, k, false, results);
        list.push_back(known.kernels[k].explain_parts(tape_.parts, target));
        if (statement.steps.size() > 1) list.back().part = describe_end(statement.list, step);
        if (fit_ == RowFit::other_shapes)
            list.back().part += "; one kernel for all needs reductions of whole rows";
        if (fit_ == RowFit::many_rows)
            list.back().part += "; one kernel for all counts at most 2^31 - 1 rows";
        if (fit_ == RowFit::few_rows)
            list.back().part +=
                "; one kernel for all would leave threads idle, because there are few, long rows";
        for (const std::size_t node : step.outputs)
            results.push_back({.dtype = statement.list.nodes[node].dtype, .shape = shapes[node]});
    }
    return list;
}

bool Evaluation::has_one_kernel() {
    const KnownStatement& known = find();
    const std::vector<std::size_t>& roots = known.statement.list.roots;
    const auto is_of_rows = [&](std::size_t root) {
        return std::any_of(
            known.statement.steps.begin(), known.statement.steps.end(), [&](const Step& step) {
                return step.definition.rows && is_one_of(root, step.outputs);
            });
    };
    if (std::all_of(roots.begin(), roots.end(), is_of_rows)) return true;
    return have_one_shape(roots, shapes_of(tape_, known));
}

ArraySpec Evaluation::spec() {
    const KnownStatement& known = find_statement(tape_, Joining::joined);
    const std::size_t root = known.statement.list.roots[0];
    return {.dtype = known.statement.list.nodes[root].dtype,
            .shape = shapes_of(tape_, known)[root]};
}

Device Evaluation::device() const {
    if (!tape_.arrays.empty()) return tape_.arrays[0].device();
    for (const detail::DrawnShape& each : tape_.shapes) {
        if (each.device) return *each.device;
    }
    return stream_ != nullptr ? stream_->device() : current_device();
}

void Evaluation::check_stream() const {
    if (stream_ == nullptr || stream_->device() == device()) return;
    refuse<DeviceError>({ErrorKind::device, {}, to_text(device()), to_text(stream_->device())},
                        "the stream is on {}, but the arrays of the expression are on {}",
                        to_text(stream_->device()),
                        to_text(device()));
}

void Evaluation::explain_error(const KnownStatement& known) const {
    const std::exception_ptr error = std::current_exception();
    // The shapes may tell which operation failed.
    static_cast<void>(shapes_of(tape_, known));
    const auto add_place = [&](const auto& each) {
        using Kind = std::remove_cvref_t<decltype(each)>;
        const NodeList& list = known.statement.list;
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
