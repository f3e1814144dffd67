// SPDX-License-Identifier: MIT
#include "expression/step_text.hpp"

#include <fmt/format.h>

#include "dtype/dtype_table.hpp"
#include "expression/step_writer.hpp"
#include "types/accumulator.hpp"

namespace kgen {

namespace {

std::string assignments(const StepWriter& writer, const StepNodes& step) {
    std::string text;
    for (std::size_t k = 0; k < step.outputs.size(); ++k)
        text += (k > 0 ? ";\n" : "") + writer.assignment(k);
    return text;
}

}  // namespace

Definition elementwise_definition(const NodeList& list, const StepNodes& step) {
    StepWriter writer(list, step);
    Definition definition;
    definition.name = writer.kernel_name();
    definition.inputs = writer.inputs();
    definition.outputs = writer.outputs();
    definition.operation = writer.statements(step.inside) + assignments(writer, step);
    definition.preamble = writer.preamble();
    return definition;
}

Definition reduction_definition(const NodeList& list, const StepNodes& step) {
    StepWriter writer(list, step);
    const Node& node = list.nodes[step.reduction];
    const Definition& form = node.form->definition;
    const std::vector<Parameter>& parameters = node.form->signature.parameters;
    Definition definition;
    definition.name = writer.kernel_name();
    definition.inputs = writer.inputs();
    definition.outputs = writer.outputs();

    const std::string before = writer.statements(step.before);
    if (form.operation == parameters[0].name && node.operands.size() == 1) {
        // A map of one expression shows plans what it folds.
        const std::string value = writer.operands(step.reduction);
        definition.operation = before.empty() ? value : fmt::format("{}return {};", before, value);
    } else {
        definition.operation =
            fmt::format("{}return {};", before, writer.map_call(step.reduction, {}));
    }

    definition.reduction = form.reduction;
    if (definition.reduction->reduce_type.empty())
        definition.reduction->reduce_type = to_text(default_accumulator(node.dtype));
    const std::string result = writer.name(step.reduction);
    std::string& post_map = definition.reduction->post_map;
    post_map = fmt::format("{0} {1};\n[&]({0}& {2}) {{ {3} }}({1});\n",
                           cpp_name(node.dtype),
                           result,
                           parameters[node.operands.size()].name,
                           enclosed(post_map)) +
               writer.statements(step.inside) + assignments(writer, step);

    definition.preamble = writer.preamble() + writer.types(node) + "\n" + form.preamble;
    definition.options = form.options;
    definition.include_directories = form.include_directories;
    return definition;
}

}  // namespace kgen
