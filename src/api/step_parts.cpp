// SPDX-License-Identifier: MIT
#include "api/step_parts.hpp"

#include <kgen/array_creation.hpp>
#include <type_traits>
#include <utility>

#include "expression/drawn_shapes.hpp"

namespace kgen {

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

void StepParts::list(const KnownStatement& known,
                     std::size_t step,
                     bool with_outputs,
                     const Array* stretched,
                     const std::vector<Array>& results) {
    list_parts(known, step, with_outputs, stretched, tape_.arrays, results);
}

void StepParts::imagine(const KnownStatement& known,
                        std::size_t step,
                        const std::vector<ArraySpec>& results) {
    list_parts(known, step, false, nullptr, tape_.arrays, results);
}

void StepParts::imagine_arrays(const KnownStatement& known,
                               std::size_t step,
                               const std::vector<ArraySpec>& results) {
    specs_.clear();
    for (const Array& each : tape_.arrays)
        specs_.push_back({.dtype = each.dtype(), .shape = each.shape(), .strides = each.strides()});
    list_parts(known, step, false, nullptr, specs_, results);
}

template <typename Arrays, typename Results>
void StepParts::list_parts(const KnownStatement& known,
                           std::size_t k,
                           bool with_outputs,
                           const Array* stretched,
                           const Arrays& arrays,
                           const Results& results) {
    const Step& step = known.statement.steps[k];
    std::vector<CallPart>& parts = tape_.parts;
    parts.clear();
    if (!with_outputs) stretched = nullptr;
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
        } else if (stretched != nullptr) {
            parts.emplace_back(*std::exchange(stretched, nullptr));
        } else {
            parts.emplace_back(arrays[input.index]);
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
void StepParts::make_drawn(const KnownStatement& known,
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

Device StepParts::device() const {
    if (!tape_.arrays.empty()) return tape_.arrays[0].device();
    for (const detail::DrawnShape& each : tape_.shapes) {
        if (each.device) return *each.device;
    }
    return stream_ != nullptr ? stream_->device() : current_device();
}

}  // namespace kgen
