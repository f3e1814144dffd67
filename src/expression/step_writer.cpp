// SPDX-License-Identifier: MIT
#include "expression/step_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <kgen/math.hpp>

#include "dtype/dtype_table.hpp"
#include "expression/function_table.hpp"

namespace kgen {

namespace {

constexpr std::size_t longest_kernel_name = 60;

}  // namespace

std::string enclosed(const std::string& text) {
    const bool needs_lines = text.find_first_of("#\n") != text.npos || text.find("//") != text.npos;
    return needs_lines ? "\n" + text + "\n;" : text + ";";
}

std::string StepWriter::kernel_name() const {
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

std::string StepWriter::inputs() const {
    std::string text;
    for (const std::size_t each : step_.inputs) {
        text += fmt::format(
            "{}{} {}", text.empty() ? "" : ", ", to_text(list_.nodes[each].dtype), name(each));
    }
    return text;
}

std::string StepWriter::outputs() const {
    std::string text;
    for (std::size_t k = 0; k < step_.outputs.size(); ++k) {
        text += fmt::format(
            "{}{} z{}", k > 0 ? ", " : "", to_text(list_.nodes[step_.outputs[k]].dtype), k);
    }
    return text;
}

std::string StepWriter::assignment(std::size_t k) const {
    return fmt::format("z{} = {}", k, name(step_.outputs[k]));
}

bool StepWriter::divides_by_row(std::size_t at) const {
    const Node& node = list_.nodes[at];
    return node.definition ==
               &function_definition(static_cast<std::uint16_t>(detail::Function::divide)) &&
           node.dtypes[0] == float32 && of_row_.contains(node.operands[1]) && !of_row_.contains(at);
}

std::string StepWriter::statements(const std::vector<std::size_t>& nodes) {
    std::string text;
    for (const std::size_t at : nodes) {
        const Node& node = list_.nodes[at];
        const Definition& definition = node.form->definition;
        if (!of_row_.contains(at)) text += fmt::format("{} {};\n", cpp_name(node.dtype), name(at));
        std::string parameters, arguments;
        for (std::size_t k = 0; k < node.operands.size(); ++k) {
            parameters += fmt::format(
                "const {} {}, ", cpp_name(node.dtypes[k]), node.form->signature.parameters[k].name);
            arguments += name(node.operands[k]) + ", ";
        }
        text += fmt::format(
            "[{}]({}{}& {}) {{ {}{} }}({}{});\n",
            node.form->signature.facts.index ? "i" : "",
            parameters,
            cpp_name(node.dtype),
            node.form->signature.parameters[node.operands.size()].name,
            scope(node, at),
            enclosed(divides_by_row(at) ? "z = kgen_quotient(x, y)" : definition.operation),
            arguments,
            name(at));
    }
    return text;
}

std::string StepWriter::operands(std::size_t at) const {
    std::string text;
    for (const std::size_t each : list_.nodes[at].operands)
        text += (text.empty() ? "" : ", ") + name(each);
    return text;
}

std::string StepWriter::map_call(std::size_t reduction, const std::string& scope) const {
    const Node& node = list_.nodes[reduction];
    std::string parameters;
    for (std::size_t k = 0; k < node.operands.size(); ++k) {
        parameters += fmt::format("{}const {} {}",
                                  k > 0 ? ", " : "",
                                  cpp_name(node.dtypes[k]),
                                  node.form->signature.parameters[k].name);
    }
    const bool is_statements = node.form->signature.reduction->map == TextForm::statements;
    return fmt::format("[&]({}) {{ {}{}{} }}({})",
                       parameters,
                       scope,
                       is_statements ? "" : "return ",
                       enclosed(node.form->definition.operation),
                       operands(reduction));
}

std::string StepWriter::types(const Node& node) const {
    std::string text;
    for (const auto& [letter, dtype] : node.placeholders) {
        if (mentions(node.form->definition, {&letter, 1}))
            text += fmt::format("typedef {} {}; ", cpp_name(dtype), letter);
        text += wrapping_typedef(node.form->definition, letter, dtype, cpp_name(dtype), " ");
    }
    return text;
}

std::string StepWriter::name(std::size_t at) const {
    const Node& node = list_.nodes[at];
    if (!node.constant.empty()) return node.constant;
    if (of_row_.contains(at)) return fmt::format("kgen_row.kgen_t{}", at);
    const auto found = std::find(step_.inputs.begin(), step_.inputs.end(), at);
    if (found == step_.inputs.end()) return fmt::format("kgen_t{}", at);
    return fmt::format("x{}", found - step_.inputs.begin());
}

// Returns what makes the names of a function's preamble and placeholders visible to its text.
std::string StepWriter::scope(const Node& node, std::size_t at) {
    const std::string& preamble = node.form->definition.preamble;
    if (preamble.empty()) return types(node);
    if (in_preamble_.insert(at).second)
        preamble_ += fmt::format("namespace kgen_f{} {{\n{}\n{}\n}}\n", at, types(node), preamble);
    return fmt::format("using namespace kgen_f{}; {}", at, types(node));
}

}  // namespace kgen
