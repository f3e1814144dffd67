// SPDX-License-Identifier: MIT
#include "expression/row_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "dtype/dtype_table.hpp"
#include "expression/step_writer.hpp"
#include "signature/token.hpp"
#include "types/accumulator.hpp"

namespace kgen {

namespace {

constexpr std::string_view element_count = "_in_ind.size() / _out_ind.size()";

// Returns where the reduction's fold may start; empty if only its first element can tell.
std::string identity_of(const Node& node) {
    const ReductionFacts& facts = *node.form->signature.reduction;
    if (facts.has_identity) return node.form->definition.reduction->identity;
    return implied_identity(facts, facts.accumulator.value_or(default_accumulator(node.dtype)));
}

// Replaces the number of elements of a row.
std::string with_row_count(std::string text) {
    for (std::size_t at = text.find(element_count); at != text.npos; at = text.find(element_count))
        text.replace(at, element_count.size(), "kgen_row_count");
    return text;
}

// Adds the fold of a reduction to the counts of the kernel that computes it.
void count_fold(const Node& reduction, ReductionTexts& counts) {
    const ReductionTexts& texts = *reduction.form->definition.reduction;
    if (texts.reduce_type.empty()) {
        ++counts.plain_folds;
        return;
    }
    ++counts.struct_folds;
    for (const Token& each : tokenize(texts.reduce).tokens)
        counts.quotients += each.text == "/" ? 1 : 0;
}

class RowWriter {
public:
    RowWriter(const NodeList& list, const RowGroup& group)
        : list_(list),
          group_(group),
          is_of_row_(list.nodes.size()),
          pass_of_(list.nodes.size()),
          step_(step_nodes()),
          writer_(list, step_, group.is_reduction ? std::set<std::size_t>() : of_row_) {}

    Definition run(std::vector<std::size_t>& inputs) {
        Definition definition;
        definition.name = writer_.kernel_name();
        definition.inputs = writer_.inputs();
        definition.outputs = writer_.outputs();
        inputs = step_.inputs;
        if (group_.is_reduction) return reduction(std::move(definition));
        RowTexts rows;
        for (const std::size_t each : of_row_)
            rows.results.push_back(
                {std::string(cpp_name(list_.nodes[each].dtype)), fmt::format("kgen_t{}", each)});
        rows.outputs = group_.forms;
        std::set<std::size_t> draws;
        for (const std::size_t each : step_.inside) {
            if (!list_.is_draw(each)) continue;
            draws.insert(each);
            rows.draws.push_back({node(each).dtype, writer_.name(each)});
        }
        rows.draw = statements(draws);
        for (std::size_t pass = 0; pass <= last_pass_; ++pass)
            rows.passes.push_back(make_pass(pass));
        std::set<std::size_t> inside;
        std::string of_elements;
        for (std::size_t k = 0; k < group_.outputs.size(); ++k) {
            const bool has_elements = group_.forms[k] == RowOutput::elements;
            if (has_elements) collect_elements(group_.outputs[k], inside);
            (has_elements ? of_elements : rows.finish) += writer_.assignment(k) + ";\n";
        }
        definition.operation = statements(inside) + of_elements;
        definition.preamble = writer_.preamble() + preamble_;
        definition.rows = std::move(rows);
        return definition;
    }

private:
    const Node& node(std::size_t at) const { return list_.nodes[at]; }

    // Finds which nodes have one element for each row, and the pass after which each node is known.
    StepNodes step_nodes() {
        std::set<std::size_t> nodes;
        const std::function<void(std::size_t)> collect = [&](std::size_t at) {
            if (!nodes.insert(at).second) return;
            for (const std::size_t each : node(at).operands) collect(each);
        };
        for (const std::size_t each : group_.outputs) collect(each);
        StepNodes step{.outputs = group_.outputs};
        for (const std::size_t at : nodes) {
            if (!node(at).is_function()) {
                if (node(at).constant.empty()) step.inputs.push_back(at);
                continue;
            }
            step.inside.push_back(at);
            bool is_of_row = node(at).is_reduction();
            std::size_t pass = 0;
            bool has_elements = false;
            for (const std::size_t each : node(at).operands) {
                pass = std::max(pass, pass_of_[each]);
                is_of_row = is_of_row || is_of_row_[each];
                has_elements = has_elements || (!is_of_row_[each] && !node(each).is_number() &&
                                                !is_of_numbers_.contains(each));
            }
            if (node(at).is_reduction()) {
                ++pass;
                last_pass_ = std::max(last_pass_, pass - 1);
            } else if (has_elements) {
                is_of_row = false;
            } else if (!is_of_row) {
                is_of_numbers_.insert(at);
            }
            pass_of_[at] = pass;
            is_of_row_[at] = is_of_row;
            if (is_of_row) of_row_.insert(at);
        }
        return step;
    }

    // Turns the definition into a reduction whose accumulator holds those of all reductions of the group.
    Definition reduction(Definition definition) {
        RowPass pass = make_pass(0);
        for (std::size_t k = 0; k < group_.outputs.size(); ++k)
            pass.post_map += writer_.assignment(k) + ";\n";
        definition.operation = std::move(pass.map);
        definition.reduction = {.reduce = std::move(pass.reduce),
                                .post_map = std::move(pass.post_map),
                                .identity = std::move(pass.identity),
                                .reduce_type = std::move(pass.type)};
        definition.preamble = writer_.preamble() + preamble_;
        const auto count_tokens = [&](std::size_t at) {
            definition.reduction->token_count += node(at).form->signature.facts.token_count;
        };
        for (const std::size_t each : step_.inside)
            if (!of_row_.contains(each)) count_tokens(each);
        for (const std::size_t each : folds_of_pass(0).folds) {
            count_tokens(each);
            count_fold(node(each), *definition.reduction);
        }
        return definition;
    }

    // Collects the functions that a text computes for each element to have `at`. Draws are there already.
    void collect_elements(std::size_t at, std::set<std::size_t>& inside) const {
        if (!node(at).is_function() || is_of_row_[at] || list_.is_draw(at) ||
            !inside.insert(at).second)
            return;
        for (const std::size_t each : node(at).operands) collect_elements(each, inside);
    }
    std::string statements(const std::set<std::size_t>& nodes) {
        return writer_.statements({nodes.begin(), nodes.end()});
    }

    static std::string space(std::size_t at) { return fmt::format("kgen_f{}", at); }
    static std::string type(std::size_t at) { return space(at) + "::kgen_folded"; }

    // The reduction's types and preamble in a namespace, and its accumulator.
    void add_reduction(std::size_t at) {
        const Definition& form = node(at).form->definition;
        std::string accumulator = form.reduction->reduce_type;
        if (accumulator.empty()) accumulator = cpp_name(default_accumulator(node(at).dtype));
        preamble_ += fmt::format("namespace {} {{\n{}\n{}\ntypedef {} kgen_folded;\n}}\n",
                                 space(at),
                                 writer_.types(node(at)),
                                 form.preamble,
                                 accumulator);
    }

    // The names of the reduction's preamble and its placeholders, for its texts.
    std::string scope(std::size_t at) const {
        return fmt::format("using namespace {}; {}", space(at), writer_.types(node(at)));
    }

    // Returns where the fold starts.
    std::string start(std::size_t at) const {
        return fmt::format(
            "[&]() -> {0} {{ {1}return {0}({2}); }}()", type(at), scope(at), identity_of(node(at)));
    }

    std::string mapped(std::size_t at) const {
        return fmt::format("{}({})", type(at), writer_.map_call(at, scope(at)));
    }

    std::string reduced(std::size_t at, std::string_view a, std::string_view b) const {
        const TemplateOverload& form = *node(at).form;
        const bool is_statements = form.signature.reduction->reduce == TextForm::statements;
        return fmt::format("[&]({0} a, {0} b) -> {0} {{ {1}{2}{3} }}({4}, {5})",
                           type(at),
                           scope(at),
                           is_statements ? "" : "return ",
                           enclosed(form.definition.reduction->reduce),
                           a,
                           b);
    }

    // Returns the statements that set the result of the reduction for the row, from the accumulator of `fold`.
    std::string finished(std::size_t at, std::size_t fold, std::string_view accumulator) const {
        const Node& one = node(at);
        const std::vector<Parameter>& parameters = one.form->signature.parameters;
        const std::string& text = one.form->definition.reduction->post_map;
        return fmt::format("{}[&]({} a, {}& {}) {{ {}{} }}({}, {});\n",
                           group_.is_reduction
                               ? fmt::format("{} {};\n", cpp_name(one.dtype), writer_.name(at))
                               : std::string(),
                           type(fold),
                           cpp_name(one.dtype),
                           parameters[one.operands.size()].name,
                           fmt::format("using namespace {}; {}", space(fold), writer_.types(one)),
                           enclosed(group_.is_reduction ? text : with_row_count(text)),
                           accumulator,
                           writer_.name(at));
    }

    // Whether two reductions fold the same values in the same way, so that one accumulator serves both.
    bool fold_alike(std::size_t one, std::size_t other) const {
        const Definition &a = node(one).form->definition, &b = node(other).form->definition;
        const auto accumulator = [&](std::size_t at) {
            return default_accumulator(node(at).dtype);
        };
        return node(one).operands == node(other).operands &&
               node(one).placeholders == node(other).placeholders && a.inputs == b.inputs &&
               a.operation == b.operation && a.preamble == b.preamble &&
               a.reduction->reduce == b.reduction->reduce &&
               a.reduction->reduce_type == b.reduction->reduce_type &&
               identity_of(node(one)) == identity_of(node(other)) &&
               (!a.reduction->reduce_type.empty() || accumulator(one) == accumulator(other));
    }

    // `folds` are the reductions of a pass that have an accumulator of their own. `reductions` are all of its reductions, each with
    // the fold whose accumulator it uses.
    struct PassFolds {
        std::vector<std::size_t> folds;
        std::vector<std::pair<std::size_t, std::size_t>> reductions;
    };
    PassFolds folds_of_pass(std::size_t number) const {
        PassFolds pass;
        for (const std::size_t each : group_.reductions) {
            if (pass_of_[each] != number + 1) continue;
            const auto alike =
                std::find_if(pass.folds.begin(), pass.folds.end(), [&](std::size_t fold) {
                    return fold_alike(fold, each);
                });
            const std::size_t fold = alike == pass.folds.end() ? each : *alike;
            if (fold == each) pass.folds.push_back(each);
            pass.reductions.emplace_back(each, fold);
        }
        return pass;
    }

    RowPass make_pass(std::size_t number) {
        const auto [folds, reductions] = folds_of_pass(number);
        std::set<std::size_t> before;
        bool has_identity = true;
        for (const std::size_t each : folds) {
            add_reduction(each);
            for (const std::size_t operand : node(each).operands) collect_elements(operand, before);
            has_identity = has_identity && !identity_of(node(each)).empty();
        }
        const bool is_single = folds.size() == 1;
        const auto member = [&](std::size_t fold) {
            return is_single ? std::string() : fmt::format(".kgen_a{}", fold);
        };
        RowPass pass;
        pass.folds = static_cast<int>(folds.size());
        pass.type = is_single ? type(folds[0]) : fmt::format("kgen_folds_{}", number);
        std::string members, values, reduce, identity, post;
        for (const std::size_t each : folds) {
            const std::string comma = values.empty() ? "" : ", ";
            members += fmt::format("    {} kgen_a{};\n", type(each), each);
            values += comma + mapped(each);
            reduce += comma + reduced(each, "a" + member(each), "b" + member(each));
            identity += comma + start(each);
        }
        for (const auto& [each, fold] : reductions)
            post += finished(each, fold, "a" + member(fold));
        if (!is_single) {
            preamble_ += fmt::format("struct {} {{\n{}}};\n", pass.type, members);
            for (std::string* const list : {&values, &reduce, &identity})
                *list = fmt::format("{}{{{}}}", pass.type, *list);
        }
        pass.map = statements(before) + fmt::format("return {};", values);
        pass.reduce = fmt::format("return {};", reduce);
        if (has_identity)
            pass.identity = group_.is_reduction ? identity : fmt::format("return {};", identity);
        std::set<std::size_t> of_row;
        for (const std::size_t each : of_row_)
            if (pass_of_[each] == number + 1 && !node(each).is_reduction()) of_row.insert(each);
        pass.post_map = post + statements(of_row);
        return pass;
    }

    const NodeList& list_;
    const RowGroup& group_;
    std::vector<bool> is_of_row_;
    std::vector<std::size_t> pass_of_;  // the number of passes before the node is known
    std::set<std::size_t> of_row_;
    std::set<std::size_t> is_of_numbers_;
    std::size_t last_pass_ = 0;
    StepNodes step_;
    StepWriter writer_;
    std::string preamble_;
};

}  // namespace

Definition row_definition(const NodeList& list,
                          const RowGroup& group,
                          std::vector<std::size_t>& inputs) {
    return RowWriter(list, group).run(inputs);
}

bool tells_other_places(const TemplateOverload& reduction) {
    const PlaceFacts& map = reduction.signature.reduction->map_place;
    const PlaceFacts& post = reduction.signature.reduction->post_place;
    if (map.index || map.joint_index || map.uses_output() || map.input_indexer) return true;
    if (post.index || post.uses_reduced() || post.output_index) return true;
    const std::string text = with_row_count(reduction.definition.reduction->post_map);
    return text.find("_ind") != std::string::npos;
}

}  // namespace kgen
