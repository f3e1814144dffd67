// SPDX-License-Identifier: MIT
#include "expression/row_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string_view>

#include "dtype/strides.hpp"
#include "expression/drawn_shapes.hpp"
#include "expression/row_step.hpp"
#include "plan/broadcast.hpp"
#include "plan/walk.hpp"
#include "signature/token.hpp"

namespace kgen {

namespace {

// Whether the text only declares types and functions, whose names can stand in a namespace, and no variable.
bool declares_no_state(const Definition& definition) {
    const std::vector<Token> tokens = tokenize(definition.preamble).tokens;
    return std::none_of(tokens.begin(), tokens.end(), [](const Token& each) {
        return begins_directive(each) || each.text == "static" || each.text == "__shared__" ||
               each.text == "__device__";
    });
}

bool has_plain_texts(const Definition& definition) {
    return definition.loop_prep.empty() && definition.after_loop.empty() &&
           definition.options.empty() && definition.include_directories.empty() &&
           definition.loop.empty() && declares_no_state(definition);
}

// A draw of random numbers needs the index of the element.
bool may_stand_in_rows(const TemplateOverload& form, bool is_draw) {
    const Signature& signature = form.signature;
    const BodyFacts& facts = signature.facts;
    if (!has_plain_texts(form.definition) || (facts.index && !is_draw) || facts.count ||
        facts.indexer || facts.shared_memory)
        return false;
    for (const Parameter& each : signature.parameters) {
        if (each.raw || each.by_reference || (each.written && !each.output)) return false;
    }
    if (!signature.reduction) return true;
    return signature.reduction->accuracy == Accuracy::plain && !tells_other_places(form);
}

// What the value of a node is in a statement of rows.
enum class Level : std::uint8_t {
    number,    // a number, the same everywhere
    elements,  // an array, or what is computed from one
    kept,      // one element for each row, whose axes have extent 1
    gone,      // one element for each row, without the axes
};

AxisSet all_axes_of(int rank) {
    return (AxisSet{1} << rank) - 1;
}

// Returns the axes that the reduction of an operand of this rank reduces; nothing if there are none, or if one does not exist.
AxisSet reduced_axes(const Node& reduction, int rank) {
    if (reduction.all_axes) return all_axes_of(rank);
    AxisSet axes = 0;
    for (const int axis : reduction.axes) {
        const int from_start = axis < 0 ? axis + rank : axis;
        if (from_start < 0 || from_start >= rank) return 0;
        axes |= AxisSet{1} << from_start;
    }
    return axes;
}

// What keeps a function out of a row kernel.
enum class Obstacle : std::uint8_t {
    none,
    own_text,    // its text cannot stand there
    other_axes,  // its operands are reduced along different axes
    no_extents,  // a reduction without keepdims meets arrays that have the axes
    folded,      // it reduces results of reductions, or numbers
    no_axes,     // it reduces no axis
};

class Grouper {
public:
    Grouper(const NodeList& list, int rank, bool folds = false)
        : list_(list), rank_(rank), folds_(folds), states_(list.nodes.size()) {}

    std::vector<RowGroup> run() {
        for (std::size_t at = 0; at < list_.nodes.size(); ++at) classify(at);
        for (const std::size_t root : list_.roots) add_output(root);
        for (std::size_t at = 0; at < list_.nodes.size(); ++at) {
            if (!is_mixed(at) || !is_needed(at)) continue;
            for (const std::size_t each : list_.nodes[at].operands) add_output(each);
        }
        std::vector<RowGroup> groups;
        for (auto& [axes, outputs] : outputs_) {
            RowGroup group;
            group.outputs = std::move(outputs);
            if (complete(group) && group.is_reduction == folds_) groups.push_back(std::move(group));
        }
        return groups;
    }

    // Why run() returned no group.
    std::string why_none() const {
        for (std::size_t at = 0; at < list_.nodes.size(); ++at) {
            if (!is_mixed(at)) continue;
            const std::string& name = list_.nodes[at].definition->name;
            switch (states_[at].obstacle) {
                case Obstacle::none:
                    break;
                case Obstacle::own_text:
                    return "the text of '" + name + "' cannot stand beside reductions of rows";
                case Obstacle::other_axes:
                    return "its reductions run along different axes";
                case Obstacle::no_extents:
                    return "a reduction without keepdims meets arrays that have its axes";
                case Obstacle::folded:
                    return "'" + name + "' reduces the result of another reduction, or a number";
                case Obstacle::no_axes:
                    return "'" + name + "' reduces no axis";
            }
        }
        if (has_large_group_)
            return fmt::format(
                "a kernel takes at most {} operations and {} inputs", most_functions, most_inputs);
        return "one kernel for all would save none";
    }

private:
    struct State {
        Level level = Level::number;
        Obstacle obstacle = Obstacle::none;
        AxisSet axes = 0;  // of the reductions in it
    };

    bool is_mixed(std::size_t at) const { return states_[at].obstacle != Obstacle::none; }

    void classify(std::size_t at) {
        const Node& node = list_.nodes[at];
        State& state = states_[at];
        if (node.is_array() || node.is_shape()) state.level = Level::elements;
        if (!node.is_function()) return;
        const auto mix = [&](Obstacle obstacle) { state.obstacle = obstacle; };
        if (!may_stand_in_rows(*node.form, list_.is_draw(at))) return mix(Obstacle::own_text);
        bool has_level[4] = {};
        for (const std::size_t each : node.operands) {
            const State& operand = states_[each];
            if (operand.obstacle != Obstacle::none) return mix(operand.obstacle);
            has_level[static_cast<std::size_t>(operand.level)] = true;
            if (operand.axes == 0) continue;
            if (state.axes != 0 && state.axes != operand.axes) return mix(Obstacle::other_axes);
            state.axes = operand.axes;
        }
        const bool elements = has_level[1], kept = has_level[2], gone = has_level[3];
        // The fold of all elements broadcasts to their shape without the axes, too.
        if (gone && (elements || kept) && state.axes != all_axes_of(rank_))
            return mix(Obstacle::no_extents);
        if (node.is_reduction()) {
            if (gone || !elements) return mix(Obstacle::folded);
            const AxisSet axes = reduced_axes(node, rank_);
            if (axes == 0) return mix(Obstacle::no_axes);
            if (state.axes != 0 && state.axes != axes) return mix(Obstacle::other_axes);
            state.axes = axes;
            state.level = node.keepdims ? Level::kept : Level::gone;
            return;
        }
        state.level = elements ? Level::elements
                      : kept   ? Level::kept
                      : gone   ? Level::gone
                               : Level::number;
    }

    bool is_needed(std::size_t at) {
        if (needed_.empty()) {
            needed_.resize(list_.nodes.size());
            for (const std::size_t root : list_.roots) needed_[root] = true;
            for (std::size_t k = list_.nodes.size(); k-- > 0;) {
                for (const std::size_t each : list_.nodes[k].operands)
                    if (needed_[k]) needed_[each] = true;
            }
        }
        return needed_[at];
    }

    void add_output(std::size_t at) {
        const State& state = states_[at];
        if (is_mixed(at) || state.axes == 0) return;
        if (folds_ && state.level == Level::elements) {
            if (!passed_.insert(at).second) return;
            for (const std::size_t each : list_.nodes[at].operands) add_output(each);
            return;
        }
        std::vector<std::size_t>& outputs = outputs_[state.axes];
        if (std::find(outputs.begin(), outputs.end(), at) == outputs.end()) outputs.push_back(at);
    }

    void collect(std::size_t at, std::set<std::size_t>& nodes) const {
        if (!nodes.insert(at).second) return;
        for (const std::size_t each : list_.nodes[at].operands) collect(each, nodes);
    }

    // Fills in the rest of the group. Returns whether it saves a kernel and is within the limits.
    bool complete(RowGroup& group) {
        std::set<std::size_t>& nodes = group.nodes;
        // Elements that another kernel reads cost memory accesses, which pay for two reductions.
        std::size_t least = 2;
        for (const std::size_t each : group.outputs) {
            collect(each, nodes);
            const Level level = states_[each].level;
            const bool is_root =
                std::find(list_.roots.begin(), list_.roots.end(), each) != list_.roots.end();
            if (level == Level::elements && is_root) least = 1;
            group.forms.push_back(level == Level::elements ? RowOutput::elements
                                  : level == Level::kept   ? RowOutput::kept
                                                           : RowOutput::gone);
        }
        std::size_t functions = 0, inputs = 0;
        group.is_reduction =
            folds_ && std::all_of(group.forms.begin(), group.forms.end(), [&](RowOutput each) {
                return each == group.forms[0];
            });
        for (const std::size_t each : nodes) {
            const Node& node = list_.nodes[each];
            group.is_reduction = group.is_reduction && !list_.is_draw(each);
            if (node.is_reduction()) {
                group.reductions.push_back(each);
                for (const std::size_t operand : node.operands)
                    group.is_reduction = group.is_reduction && states_[operand].axes == 0;
            }
            functions += node.is_function() ? 1 : 0;
            inputs += node.is_function() || !node.constant.empty() ? 0 : 1;
        }
        if (group.reductions.size() < least) return false;
        const bool is_large = functions > most_functions || inputs > most_inputs;
        has_large_group_ = has_large_group_ || is_large;
        return !is_large;
    }

    const NodeList& list_;
    int rank_;
    bool folds_;                    // finds fold groups
    std::set<std::size_t> passed_;  // elements below which outputs of fold groups were looked for
    bool has_large_group_ = false;
    std::vector<State> states_;
    std::vector<bool> needed_;
    std::map<AxisSet, std::vector<std::size_t>> outputs_;  // by the reduced axes
};

// The shapes of the loop, operands and outputs of a row group.
class StepShapes {
public:
    StepShapes(const Statement& statement,
               const Step& step,
               std::span<const Dims> arrays,
               std::span<const Dims> drawn,
               std::span<const Dims> nodes)
        : list_(statement.list), step_(step), nodes_(nodes) {
        for (const StepInput& input : step.inputs) {
            if (input.from != StepInput::From::array) continue;
            broadcasts_ = broadcasts_ && broadcast_to_both(loop_, arrays[input.index]);
            ++array_count_;
        }
        for (const std::size_t each : step.drawn) {
            broadcasts_ = broadcasts_ && broadcast_to_both(loop_, drawn[each]);
            ++array_count_;
        }
    }

    RowFit fit(std::int64_t threads) {
        if (!broadcasts_ || !find_axes() || !operands_fit() || !outputs_fit())
            return RowFit::other_shapes;
        std::int64_t rows = 1, row = array_count_;
        for (int axis = 0; axis < loop_.rank(); ++axis) {
            if (loop_[axis] == 0) return RowFit::other_shapes;
            std::int64_t& count = is_reduced(axis) ? row : rows;
            count = next_stride(count, loop_[axis]);
        }
        if (rows > std::numeric_limits<std::int32_t>::max()) return RowFit::many_rows;
        // The elements from which a reduction on the host is worth several threads.
        constexpr std::int64_t least_shared = std::int64_t{1} << 17;
        return row >= least_shared && rows < threads ? RowFit::few_rows : RowFit::fits;
    }

    std::int64_t row_length() {
        std::int64_t length = 1;
        find_axes();
        for (int axis = 0; axis < loop_.rank(); ++axis)
            if (is_reduced(axis)) length *= loop_[axis];
        return length;
    }

private:
    bool is_reduced(int axis) const { return contains(reduced_, axis); }
    RowOutput row_output(std::size_t k) const {
        if (step_.definition.rows) return step_.definition.rows->outputs[k];
        return list_.nodes[step_.reduction].keepdims ? RowOutput::kept : RowOutput::gone;
    }

    bool find_axes() {
        reduced_ = reduced_axes(list_.nodes[step_.reduction], loop_.rank());
        return reduced_ != 0 &&
               std::all_of(step_.reductions.begin(), step_.reductions.end(), [&](std::size_t each) {
                   return reduced_axes(list_.nodes[each], loop_.rank()) == reduced_;
               });
    }
    bool operands_fit() const {
        for (const std::size_t at : step_.reductions) {
            for (const std::size_t operand : list_.nodes[at].operands) {
                const Dims& shape = nodes_[operand];
                if (list_.nodes[operand].is_number()) continue;
                if (shape.rank() != loop_.rank()) return false;
                for (int axis = 0; axis < loop_.rank(); ++axis)
                    if (is_reduced(axis) && shape[axis] != loop_[axis]) return false;
            }
        }
        return true;
    }
    bool outputs_fit() const {
        for (std::size_t k = 0; k < step_.outputs.size(); ++k) {
            const RowOutput form = row_output(k);
            Dims shape;
            for (int axis = 0; axis < loop_.rank(); ++axis) {
                if (!is_reduced(axis) || form == RowOutput::elements) {
                    shape.push_back(loop_[axis]);
                } else if (form == RowOutput::kept) {
                    shape.push_back(1);
                }
            }
            if (nodes_[step_.outputs[k]] != shape) return false;
        }
        return true;
    }

    const NodeList& list_;
    const Step& step_;
    std::span<const Dims> nodes_;
    Dims loop_;
    bool broadcasts_ = true;
    std::int64_t array_count_ = 0;
    AxisSet reduced_ = 0;
};

}  // namespace

std::vector<RowGroup> find_row_groups(const NodeList& list, int rank) {
    return Grouper(list, rank).run();
}

std::vector<RowGroup> find_fold_groups(const NodeList& list, int rank) {
    return Grouper(list, rank, true).run();
}

bool may_have_row_groups(const NodeList& list) {
    const bool has_reductions = std::any_of(
        list.nodes.begin(), list.nodes.end(), [](const Node& node) { return node.is_reduction(); });
    for (int rank = 1; rank <= max_rank && has_reductions; ++rank)
        if (!find_row_groups(list, rank).empty()) return true;
    return false;
}

std::string why_no_row_groups(const NodeList& list, int rank) {
    Grouper grouper(list, rank);
    static_cast<void>(grouper.run());
    return grouper.why_none();
}

RowFit find_row_fit(const Statement& statement,
                    std::span<const Dims> arrays,
                    std::span<const Dims> drawn,
                    const std::vector<Dims>& nodes,
                    std::int64_t threads) {
    if (!draws_fit(statement, nodes, drawn)) return RowFit::other_draws;
    for (const Step& step : statement.steps) {
        if (step.reductions.empty()) continue;
        const RowFit fit = StepShapes(statement, step, arrays, drawn, nodes).fit(threads);
        if (fit != RowFit::fits) return fit;
    }
    return RowFit::fits;
}

std::int64_t longest_row(const Statement& statement,
                         std::span<const Dims> arrays,
                         std::span<const Dims> drawn,
                         const std::vector<Dims>& nodes) {
    std::int64_t length = 0;
    for (const Step& step : statement.steps) {
        if (!step.reductions.empty())
            length =
                std::max(length, StepShapes(statement, step, arrays, drawn, nodes).row_length());
    }
    return length;
}

}  // namespace kgen
