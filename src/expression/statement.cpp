// SPDX-License-Identifier: MIT
#include "expression/statement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "expression/one_pass.hpp"
#include "expression/row_groups.hpp"
#include "expression/row_step.hpp"
#include "expression/step_text.hpp"
#include "text/list.hpp"

namespace kgen {

namespace {

// Whether the form's text may stand in another kernel: it computes one element from the elements of its inputs, and
// needs nothing around it. A draw of random numbers needs the index of the element.
bool may_join(const TemplateOverload& form, bool is_draw) {
    const Definition& definition = form.definition;
    const Signature& signature = form.signature;
    const BodyFacts& facts = signature.facts;
    if ((facts.index && !is_draw) || facts.count || facts.indexer || facts.shared_memory ||
        facts.keeps_state)
        return false;
    for (std::size_t k = 0; k < signature.parameters.size(); ++k) {
        const Parameter& each = signature.parameters[k];
        if (each.raw || each.by_reference || (each.written && !each.output)) return false;
    }
    return definition.loop_prep.empty() && definition.after_loop.empty() &&
           definition.options.empty() && definition.include_directories.empty() &&
           definition.loop.empty() && definition.preamble.find("#include") == std::string::npos;
}

class Composer {
public:
    Composer(NodeList list, Joining joining, int rank)
        : joining_(joining),
          rank_(rank),
          joins_(list.nodes.size()),
          source_(list.nodes.size(), none),
          is_value_(list.nodes.size()),
          was_cut_(list.nodes.size()),
          step_of_(list.nodes.size(), no_node) {
        statement_.list = std::move(list);
        if (joining == Joining::folds) fold_in_one_pass(statement_.list);
    }

    Statement run() {
        find_sources();
        find_groups();
        for (const std::size_t root : roots()) demand(root);
        for (const auto& [reduction, nodes] : demanded_)
            is_value_[nodes.size() == 1 ? *nodes.begin() : reduction] = true;
        std::vector<std::size_t> together;
        for (const std::size_t root : roots()) {
            if (!is_value_[root]) add_once(together, root);
        }
        if (!together.empty()) {
            const std::size_t step = add_elementwise(together);
            for (const std::size_t root : together) step_of_[root] = step;
        }
        for (const std::size_t root : roots()) statement_.results.push_back(result_of(root));
        return std::move(statement_);
    }

private:
    // Values of source_ beside the number of a reduction.
    static constexpr std::size_t none = no_node;         // only numbers
    static constexpr std::size_t several = no_node - 1;  // arrays, or more than one reduction

    const Node& node(std::size_t at) const { return statement_.list.nodes[at]; }
    const std::vector<std::size_t>& roots() const { return statement_.list.roots; }

    // Finds for each function whether it depends on a single reduction alone.
    void find_sources() {
        for (std::size_t at = 0; at < source_.size(); ++at) {
            if (node(at).is_array() || node(at).is_shape()) source_[at] = several;
            if (!node(at).is_function()) continue;
            if (group_of(at) != nullptr) {
                source_[at] = several;
                continue;
            }
            source_[at] = none;
            const bool draws = is_draw(at);
            joins_[at] = joining_ != Joining::separate && may_join(*node(at).form, draws) &&
                         !(draws && joining_ == Joining::drawn_apart);
            if (node(at).is_reduction()) {
                source_[at] = at;
                continue;
            }
            for (const std::size_t each : node(at).operands) {
                if (source_[each] == none || source_[at] == source_[each]) continue;
                source_[at] = source_[at] == none ? source_[each] : several;
            }
            // Its own kernel follows the reduction's.
            if (!joins_[at] || (source_[at] < several && !joins_[source_[at]]))
                source_[at] = several;
        }
    }

    // The outputs of row groups are like arrays to what follows.
    void find_groups() {
        if (joining_ == Joining::joined) statement_.has_rows = may_have_row_groups(statement_.list);
        if (joining_ == Joining::rows) groups_ = find_row_groups(statement_.list, rank_);
        if (joining_ == Joining::folds) groups_ = find_fold_groups(statement_.list, rank_);
        if (!has_row_groups(joining_)) return;
        statement_.has_rows = !groups_.empty();
        for (const RowGroup& group : groups_) {
            for (const std::size_t each : group.outputs) is_value_[each] = true;
        }
        if (!groups_.empty()) find_sources();
    }
    const RowGroup* group_of(std::size_t at) const {
        for (const RowGroup& group : groups_) {
            if (is_one_of(at, group.outputs)) return &group;
        }
        return nullptr;
    }
    bool is_draw(std::size_t at) const { return statement_.list.is_draw(at); }

    // Notes that a kernel needs the node, and which nodes that kernel, or the one of a reduction, needs in turn.
    void demand(std::size_t at) {
        if (!node(at).is_function() || group_of(at) != nullptr) return;
        if (source_[at] < several) {
            const std::size_t reduction = source_[at];
            const bool is_first = demanded_[reduction].empty();
            demanded_[reduction].insert(at);
            if (is_first) demand_operands(reduction);
        } else if (!seen_.contains(at)) {
            seen_.insert(at);
            if (!joins_[at]) is_value_[at] = true;
            demand_operands(at);
        }
    }
    void demand_operands(std::size_t at) {
        for (const std::size_t each : node(at).operands) {
            demand(each);
            // A kernel of its own reads arrays.
            if (!joins_[at] && node(each).is_function() && source_[each] >= several)
                is_value_[each] = true;
        }
    }

    // Whether a kernel reads the node from memory or as a number.
    bool is_input(std::size_t at) const { return !node(at).is_function() || is_value_[at]; }

    std::vector<std::size_t> in_order(const std::set<std::size_t>& inputs) const {
        std::vector<std::size_t> list(inputs.begin(), inputs.end());
        if (joining_ == Joining::traced) {
            std::sort(list.begin(), list.end(), [&](std::size_t a, std::size_t b) {
                return node(a).slot < node(b).slot;
            });
        }
        return list;
    }

    // Collects the functions that a kernel computes to have `at`, and its inputs.
    void collect(std::size_t at,
                 std::set<std::size_t>& inside,
                 std::set<std::size_t>& inputs) const {
        if (is_input(at)) {
            if (node(at).constant.empty()) inputs.insert(at);
        } else if (inside.insert(at).second) {
            for (const std::size_t each : node(at).operands) collect(each, inside, inputs);
        }
    }

    // Gives kernels of their own to parts of the functions, until the rest is within the limits.
    void cut(const std::vector<std::size_t>& ends) {
        for (;;) {
            std::set<std::size_t> inside, inputs;
            for (const std::size_t each : ends) {
                if (node(each).is_function() && !is_value_[each]) collect(each, inside, inputs);
            }
            if (inside.size() <= most_functions && inputs.size() <= most_inputs) return;
            std::size_t largest = 1;
            std::size_t chosen = no_node;
            for (const std::size_t each : inside) {
                // What follows a reduction alone stays with it.
                if (source_[each] < several || is_one_of(each, ends)) continue;
                std::set<std::size_t> part, part_inputs;
                collect(each, part, part_inputs);
                const std::size_t gain = part.size() + part_inputs.size();
                if (part.size() > most_functions || part_inputs.size() > most_inputs ||
                    gain <= largest)
                    continue;
                largest = gain;
                chosen = each;
            }
            if (chosen == no_node) return;
            is_value_[chosen] = was_cut_[chosen] = true;
        }
    }

    StepEnd end_of(std::size_t output) const {
        if (is_one_of(output, roots())) return StepEnd::result;
        if (was_cut_[output]) return StepEnd::limits;
        if (source_[output] < several || group_of(output) != nullptr) return StepEnd::reduction;
        return joins_[output] ? StepEnd::before_kernel : StepEnd::own_kernel;
    }

    std::size_t step_for(std::size_t at) {
        if (step_of_[at] != no_node) return step_of_[at];
        if (const RowGroup* const group = group_of(at)) {
            const std::size_t step = add_rows(*group);
            for (const std::size_t each : group->outputs) step_of_[each] = step;
        } else if (source_[at] < several) {
            step_of_[at] = add_reduction(source_[at], at);
        } else {
            step_of_[at] = add_elementwise({at});
        }
        return step_of_[at];
    }

    // Returns the number of the node's result. Adds the kernel that computes it if there is none.
    std::size_t result_of(std::size_t at) {
        const Step& step = statement_.steps[step_for(at)];
        const auto found = std::find(step.outputs.begin(), step.outputs.end(), at);
        return step.first_result + static_cast<std::size_t>(found - step.outputs.begin());
    }

    StepInput input_for(std::size_t at) {
        if (node(at).is_array()) return {StepInput::From::array, node(at).slot};
        if (node(at).is_number()) return {StepInput::From::number, node(at).slot};
        if (node(at).is_shape()) return {StepInput::From::shape, node(at).slot};
        return {StepInput::From::result, result_of(at)};
    }

    std::size_t add_step(Definition definition,
                         const std::vector<std::size_t>& inputs,
                         std::vector<std::size_t> outputs,
                         std::size_t reduction) {
        Step step{.definition = std::move(definition),
                  .outputs = std::move(outputs),
                  .reduction = reduction};
        step.end = end_of(step.outputs[0]);
        for (const std::size_t each : inputs) step.inputs.push_back(input_for(each));
        step.first_result = statement_.result_count;
        statement_.result_count += step.outputs.size();
        statement_.steps.push_back(std::move(step));
        return statement_.steps.size() - 1;
    }

    void note_draws(std::size_t step, const std::set<std::size_t>& functions) {
        for (const std::size_t each : functions) {
            if (is_draw(each))
                statement_.steps[step].drawn.push_back(node(node(each).operands[0]).slot);
        }
    }

    // Whether the function's kernel is the one that the library defines: every input is an array of its own, or a
    // number whose dtype an array decides.
    bool is_library_kernel(std::size_t at) const {
        if (joining_ == Joining::traced || (is_draw(at) && joins_[at])) return false;
        const Node& one = node(at);
        const std::vector<Parameter>& parameters = one.form->signature.parameters;
        for (std::size_t k = 0; k < one.operands.size(); ++k) {
            if (!is_input(one.operands[k])) return false;
            for (std::size_t other = 0; other < k && joins_[at]; ++other) {
                if (one.operands[other] == one.operands[k]) return false;
            }
            if (!node(one.operands[k]).is_number() || parameters[k].dtype) continue;
            bool is_decided = false;
            for (std::size_t other = 0; other < one.operands.size(); ++other) {
                is_decided |= !node(one.operands[other]).is_number() &&
                              parameters[other].placeholder == parameters[k].placeholder;
            }
            if (!is_decided) return false;
        }
        return true;
    }

    std::size_t add_elementwise(const std::vector<std::size_t>& outputs) {
        for (const std::size_t each : outputs)
            is_value_[each] = false;  // while this kernel is made
        if (outputs.size() == 1 && node(outputs[0]).is_function() &&
            is_library_kernel(outputs[0])) {
            const Node& one = node(outputs[0]);
            const std::size_t step = add_step(one.form->definition, one.operands, outputs, no_node);
            is_value_[outputs[0]] = true;
            return step;
        }
        cut(outputs);
        std::set<std::size_t> inside, inputs;
        for (const std::size_t each : outputs) collect(each, inside, inputs);
        const StepNodes nodes{.inputs = in_order(inputs),
                              .inside = {inside.begin(), inside.end()},
                              .outputs = outputs};
        const std::size_t step = add_step(
            elementwise_definition(statement_.list, nodes), nodes.inputs, outputs, no_node);
        for (const std::size_t each : outputs)
            if (node(each).is_function()) is_value_[each] = true;
        note_draws(step, inside);
        return step;
    }

    // Adds the kernel of a reduction whose output is `end`: the reduction itself, or what follows it.
    std::size_t add_reduction(std::size_t reduction, std::size_t end) {
        if (reduction == end && is_library_kernel(reduction)) {
            return add_step(node(reduction).form->definition, node(reduction).operands, {end}, end);
        }
        cut(node(reduction).operands);
        StepNodes nodes{.outputs = {end}, .reduction = reduction};
        std::set<std::size_t> before, inputs, inside;
        for (const std::size_t each : node(reduction).operands) collect(each, before, inputs);
        if (reduction != end) {
            is_value_[end] = false;
            is_value_[reduction] = true;  // where the collection stops
            collect(end, inside, inputs);
            inputs.erase(reduction);
            is_value_[end] = true;
            is_value_[reduction] = false;
        }
        nodes.before.assign(before.begin(), before.end());
        nodes.inside.assign(inside.begin(), inside.end());
        nodes.inputs = in_order(inputs);
        const std::size_t step =
            add_step(reduction_definition(statement_.list, nodes), nodes.inputs, {end}, reduction);
        note_draws(step, before);
        return step;
    }

    std::size_t add_rows(const RowGroup& group) {
        std::vector<std::size_t> inputs;
        Definition definition = row_definition(statement_.list, group, inputs);
        // If the group is a reduction, this node tells whether the outputs keep the axes.
        const auto reduction =
            std::find_if(group.reductions.begin(), group.reductions.end(), [&](std::size_t each) {
                return node(each).keepdims == (group.forms[0] == RowOutput::kept);
            });
        const std::size_t step =
            add_step(std::move(definition),
                     inputs,
                     group.outputs,
                     reduction == group.reductions.end() ? group.reductions[0] : *reduction);
        statement_.steps[step].reductions = group.reductions;
        note_draws(step, group.nodes);
        return step;
    }

    Statement statement_;
    Joining joining_;
    int rank_;
    std::vector<bool> joins_;
    std::vector<RowGroup> groups_;
    std::vector<std::size_t> source_;
    std::vector<bool> is_value_;
    std::vector<bool> was_cut_;  // by cut()
    std::vector<std::size_t> step_of_;
    std::map<std::size_t, std::set<std::size_t>> demanded_;  // of each reduction
    std::set<std::size_t> seen_;
};

}  // namespace

Statement compose(NodeList list, Joining joining, int rank) {
    return Composer(std::move(list), joining, rank).run();
}

std::string describe_end(const NodeList& list, const Step& step) {
    constexpr int levels = 3;
    std::string text = node_text(list, step.outputs[0], levels);
    for (std::size_t k = 1; k < step.outputs.size(); ++k)
        text += " and " + node_text(list, step.outputs[k], levels);
    switch (step.end) {
        case StepEnd::result:
            return text;
        case StepEnd::limits:
            return fmt::format("{}, because a kernel takes at most {} operations and {} inputs",
                               text,
                               most_functions,
                               most_inputs);
        case StepEnd::reduction:
            return text + ", because what follows needs the complete reduction";
        case StepEnd::own_kernel:
            return fmt::format("{}, because '{}' runs as a kernel of its own",
                               text,
                               list.nodes[step.outputs[0]].definition->name);
        case StepEnd::before_kernel:
            break;
    }
    return text + ", because what follows runs as a kernel of its own";
}

}  // namespace kgen
