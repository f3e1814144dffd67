// SPDX-License-Identifier: MIT
#include "benchmarks/prepared_case.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "benchmarks/result_error.hpp"

namespace kgen::bench {

namespace {

// Turns a name such as "axpb_f32_2^28" into an identifier, which profilers show.
std::string kernel_name(std::string name) {
    std::replace_if(
        name.begin(),
        name.end(),
        [](unsigned char letter) { return std::isalnum(letter) == 0; },
        '_');
    return "bench_" + name;
}

std::optional<GeneratedKernel> make_kernel(const Case& row) {
    if (std::holds_alternative<ArrayFunction>(row.kernel)) return {};
    const std::string name = kernel_name(row.name);
    if (const auto* own = std::get_if<Kernel>(&row.kernel)) {
        return ElementwiseKernel(own->inputs, own->outputs, own->body, name);
    }
    const auto& own = std::get<Reduction>(row.kernel);
    return ReductionKernel(own.inputs,
                           own.outputs,
                           own.map,
                           own.reduce,
                           own.post_map,
                           own.identity,
                           name,
                           own.options);
}

std::vector<OperandMemory> random_inputs(const Case& row, Scale scale) {
    std::vector<OperandMemory> inputs;
    unsigned seed = 1;
    for (const Operand& input : row.inputs) {
        inputs.push_back(OperandMemory::random(input, scale, seed++));
    }
    return inputs;
}

// Returns the reduced axes in ascending order, none of them negative.
std::vector<int> reduced_axes(const Case& row, const std::vector<OperandMemory>& inputs) {
    if (!std::holds_alternative<Reduction>(row.kernel)) return {};
    const int rank = broadcast_shape(inputs).rank();
    std::vector<int> axes;
    for (int axis = 0; axis < rank; ++axis) {
        const bool named =
            row.axes && std::any_of(row.axes->begin(), row.axes->end(), [&](int each) {
                return each == axis || each + rank == axis;
            });
        if (!row.axes || named) axes.push_back(axis);
    }
    return axes;
}

std::vector<OperandMemory> poisoned_outputs(const Case& row,
                                            Scale scale,
                                            const std::vector<OperandMemory>& inputs,
                                            const std::vector<int>& reduced) {
    std::vector<OperandMemory> outputs;
    const auto* reduction = std::get_if<Reduction>(&row.kernel);
    const auto* function = std::get_if<ArrayFunction>(&row.kernel);
    if (function != nullptr && function->makes_output) return outputs;
    if (reduction == nullptr) {
        outputs.push_back(OperandMemory::poisoned(row.output, scale));
        for (const Operand& more : row.more_outputs) {
            outputs.push_back(OperandMemory::poisoned(more, scale));
        }
        return outputs;
    }
    const Dims loop = broadcast_shape(inputs);
    Dims shape;
    for (int axis = 0; axis < loop.rank(); ++axis) {
        if (!std::binary_search(reduced.begin(), reduced.end(), axis)) shape.push_back(loop[axis]);
    }
    for (const DType dtype : reduction->output_dtypes) {
        outputs.push_back(OperandMemory::poisoned({dtype, shape}, Scale::full));
    }
    return outputs;
}

}  // namespace

Number PlaceView::value(std::size_t input) const {
    return inputs[input].value_at(index);
}

Number PlaceView::gathered(std::size_t input, std::int64_t at) const {
    return inputs[input].value_at({at % inputs[input].view().size()});
}

PreparedCase::PreparedCase(const Case& row, Scale scale)
    : definition_(row.kernel),
      kernel_(make_kernel(row)),
      inputs_(random_inputs(row, scale)),
      reduced_axes_(reduced_axes(row, inputs_)),
      outputs_(poisoned_outputs(row, scale, inputs_, reduced_axes_)) {
    for (const OperandMemory& input : inputs_) {
        arguments_.emplace_back(input.view());
        arrays_.push_back(input.view());
    }
    for (const OperandMemory& output : outputs_) options_.outputs.push_back(output.view());
    options_.axes = row.axes;
    if (kernel_) return;
    const Array result = call_function();
    if (outputs_.empty()) {
        outputs_.push_back(OperandMemory::made(result));
    } else {
        outputs_.front().show(result);
        outputs_.front().poison();
    }
}

Array PreparedCase::call_function() const {
    const auto& function = std::get<ArrayFunction>(definition_);
    return function.call(arrays_, function.makes_output ? Array() : options_.outputs.front());
}

void PreparedCase::call() const {
    if (kernel_) {
        kernel_->call(arguments_, options_);
    } else {
        call_function();
    }
}

void PreparedCase::make_kernel_again(const Case& row) {
    kernel_ = make_kernel(row);
}

Explanation PreparedCase::explain() const {
    return kernel_->explain(arguments_, options_);
}

Dims PreparedCase::loop_shape() const {
    return std::holds_alternative<Reduction>(definition_) ? broadcast_shape(inputs_)
                                                          : output().shape();
}

Traffic PreparedCase::traffic() const {
    Traffic traffic;
    std::int64_t count = 1;
    for (const std::int64_t extent : loop_shape()) count *= extent;
    for (const OperandMemory& input : inputs_) {
        if (!kernel_ || input.view().size() == count) {
            traffic.read_bytes += static_cast<double>(input.view().size_bytes());
        }
    }
    for (const OperandMemory& output : outputs_) {
        traffic.written_bytes += static_cast<double>(output.view().size_bytes());
    }
    return traffic;
}

double PreparedCase::function_error(const ArrayFunction& function,
                                    const OperandMemory& output) const {
    return element_error([&](const Dims& index) { return function.reference(inputs_, index); },
                         output);
}

double PreparedCase::kernel_error(const Kernel& kernel) const {
    if (kernel.place_reference) {
        double worst = 0;
        for (std::size_t output = 0; output < outputs_.size(); ++output) {
            const auto expected = [&](const Dims& index) {
                std::int64_t i = 0;
                for (int axis = 0; axis < index.rank(); ++axis) {
                    i = i * loop_shape()[axis] + index[axis];
                }
                return kernel.place_reference({inputs_, index, i, output});
            };
            const double error = element_error(expected, outputs_[output]);
            if (std::isnan(error) || error > worst) worst = error;
            if (std::isnan(error)) break;
        }
        return worst;
    }
    std::vector<Number> values(inputs_.size());
    const auto expected = [&](const Dims& index) {
        for (std::size_t k = 0; k < inputs_.size(); ++k) values[k] = inputs_[k].value_at(index);
        return kernel.reference(values.data());
    };
    return element_error(expected, outputs_.front());
}

double PreparedCase::largest_error() const {
    const auto* function = std::get_if<ArrayFunction>(&definition_);
    if (function != nullptr && function->makes_output) {
        return function_error(*function, OperandMemory::made(call_function()));
    }
    call();
    synchronize();
    return error_of_outputs();
}

double PreparedCase::error_of(const std::function<void()>& work) const {
    for (const OperandMemory& output : outputs_) output.poison();
    work();
    return error_of_outputs();
}

double PreparedCase::error_of_outputs() const {
    const auto* function = std::get_if<ArrayFunction>(&definition_);
    const bool intact = std::all_of(outputs_.begin(), outputs_.end(), [](const auto& output) {
        return output.is_intact_outside();
    });
    if (!intact) return std::numeric_limits<double>::quiet_NaN();
    if (const auto* own = std::get_if<Kernel>(&definition_)) return kernel_error(*own);
    if (function != nullptr) return function_error(*function, outputs_.front());
    const FoldReference& reference = std::get<Reduction>(definition_).reference;
    return fold_error(reference, inputs_, reduced_axes_, outputs_);
}

}  // namespace kgen::bench
