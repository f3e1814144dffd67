// SPDX-License-Identifier: MIT
#include "expression/step_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "dtype/dtype_table.hpp"
#include "text/word.hpp"
#include "types/accumulator.hpp"

namespace kgen {

namespace {

constexpr std::size_t longest_kernel_name = 60;

// Returns the text on lines of its own if what follows could become a part of its last line.
std::string enclosed(const std::string& text) {
    const bool needs_lines = text.find_first_of("#\n") != text.npos || text.find("//") != text.npos;
    return needs_lines ? "\n" + text + "\n;" : text + ";";
}

bool mentions(const Definition& definition, std::string_view word) {
    for (const CodeText& each : code_texts(definition)) {
        if (find_word(*each.text, word) != std::string_view::npos) return true;
    }
    return definition.reduction &&
           find_word(definition.reduction->reduce_type, word) != std::string_view::npos;
}

class StepWriter {
public:
    StepWriter(const NodeList& list, const StepNodes& step) : list_(list), step_(step) {}

    // Names the kernel after its functions, for profilers and messages.
    std::string kernel_name() const {
        std::string name;
        const auto add = [&](std::size_t at) {
            const Node& node = list_.nodes[at];
            if (!node.is_function() || node.is_cast) return;
            const std::string& next = node.definition->name;
            if (name.size() + next.size() < longest_kernel_name)
                name += (name.empty() ? "" : "_") + next;
        };
        for (const std::size_t each : step_.before) add(each);
        if (step_.reduction != no_node) add(step_.reduction);
        for (const std::size_t each : step_.inside) add(each);
        return name.empty() ? "convert" : name;
    }

    std::string inputs() const {
        std::string text;
        for (const std::size_t each : step_.inputs) {
            text += fmt::format(
                "{}{} {}", text.empty() ? "" : ", ", to_text(list_.nodes[each].dtype), name(each));
        }
        return text;
    }
    std::string outputs() const {
        std::string text;
        for (std::size_t k = 0; k < step_.outputs.size(); ++k) {
            text += fmt::format(
                "{}{} z{}", k > 0 ? ", " : "", to_text(list_.nodes[step_.outputs[k]].dtype), k);
        }
        return text;
    }
    std::string assignments() const {
        std::string text;
        for (std::size_t k = 0; k < step_.outputs.size(); ++k)
            text += fmt::format("{}z{} = {}", k > 0 ? ";\n" : "", k, name(step_.outputs[k]));
        return text;
    }

    // The statements that compute the functions.
    std::string statements(const std::vector<std::size_t>& nodes) {
        std::string text;
        for (const std::size_t at : nodes) {
            const Node& node = list_.nodes[at];
            const Definition& definition = node.form->definition;
            text += fmt::format("{} {};\n", cpp_name(node.dtype), name(at));
            std::string parameters, arguments;
            for (std::size_t k = 0; k < node.operands.size(); ++k) {
                parameters += fmt::format("const {} {}, ",
                                          cpp_name(node.dtypes[k]),
                                          node.form->signature.parameters[k].name);
                arguments += name(node.operands[k]) + ", ";
            }
            text += fmt::format("[]({}{}& {}) {{ {}{} }}({}{});\n",
                                parameters,
                                cpp_name(node.dtype),
                                node.form->signature.parameters[node.operands.size()].name,
                                scope(node, at),
                                enclosed(definition.operation),
                                arguments,
                                name(at));
        }
        return text;
    }

    // The preambles of the functions whose statements were written, each in a namespace.
    const std::string& preamble() const noexcept { return preamble_; }

    // Returns the placeholders of the function as types, if its texts mention them.
    std::string types(const Node& node) const {
        std::string text;
        for (const auto& [letter, dtype] : node.placeholders) {
            if (mentions(node.form->definition, {&letter, 1}))
                text += fmt::format("typedef {} {}; ", cpp_name(dtype), letter);
        }
        return text;
    }

    std::string name(std::size_t at) const {
        const Node& node = list_.nodes[at];
        if (!node.constant.empty()) return node.constant;
        const auto found = std::find(step_.inputs.begin(), step_.inputs.end(), at);
        if (found == step_.inputs.end()) return fmt::format("kgen_t{}", at);
        return fmt::format("x{}", found - step_.inputs.begin());
    }

private:
    // Returns what makes the names of a function's preamble and placeholders visible to its text.
    std::string scope(const Node& node, std::size_t at) {
        const std::string& preamble = node.form->definition.preamble;
        if (preamble.empty()) return types(node);
        preamble_ += fmt::format("namespace kgen_f{} {{\n{}\n{}\n}}\n", at, types(node), preamble);
        return fmt::format("using namespace kgen_f{}; {}", at, types(node));
    }

    const NodeList& list_;
    const StepNodes& step_;
    std::string preamble_;
};

}  // namespace

Definition elementwise_definition(const NodeList& list, const StepNodes& step) {
    StepWriter writer(list, step);
    Definition definition;
    definition.name = writer.kernel_name();
    definition.inputs = writer.inputs();
    definition.outputs = writer.outputs();
    definition.operation = writer.statements(step.inside) + writer.assignments();
    definition.preamble = writer.preamble();
    return definition;
}

Definition reduction_definition(const NodeList& list, const StepNodes& step) {
    StepWriter writer(list, step);
    const Node& node = list.nodes[step.reduction];
    const Definition& form = node.form->definition;
    const std::vector<Parameter>& parameters = node.form->signature.parameters;
    const ReductionFacts& facts = *node.form->signature.reduction;
    Definition definition;
    definition.name = writer.kernel_name();
    definition.inputs = writer.inputs();
    definition.outputs = writer.outputs();

    std::string names, values;
    for (std::size_t k = 0; k < node.operands.size(); ++k) {
        names += fmt::format(
            "{}const {} {}", k > 0 ? ", " : "", cpp_name(node.dtypes[k]), parameters[k].name);
        values += (k > 0 ? ", " : "") + writer.name(node.operands[k]);
    }
    const std::string before = writer.statements(step.before);
    if (form.operation == parameters[0].name && node.operands.size() == 1) {
        // A map of one expression shows plans what it folds.
        definition.operation =
            before.empty() ? values : fmt::format("{}return {};", before, values);
    } else {
        const bool is_statements = facts.map == TextForm::statements;
        definition.operation = fmt::format("{}return [&]({}) {{ {}{} }}({});",
                                           before,
                                           names,
                                           is_statements ? "" : "return ",
                                           enclosed(form.operation),
                                           values);
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
               writer.statements(step.inside) + writer.assignments();

    definition.preamble = writer.preamble() + writer.types(node) + "\n" + form.preamble;
    definition.options = form.options;
    definition.include_directories = form.include_directories;
    return definition;
}

}  // namespace kgen
