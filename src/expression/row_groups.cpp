// SPDX-License-Identifier: MIT
#include "expression/row_groups.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string_view>

#include "dtype/strides.hpp"
#include "expression/row_step.hpp"
#include "plan/broadcast.hpp"
#include "plan/walk.hpp"
#include "signature/token.hpp"

namespace kgen {

namespace {

// Limits of one kernel, as those of other steps.
constexpr std::size_t most_row_functions = 64;
constexpr std::size_t most_row_inputs = 24;

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

bool may_stand_in_rows(const TemplateOverload& form) {
    const Signature& signature = form.signature;
    const BodyFacts& facts = signature.facts;
    if (!has_plain_texts(form.definition) || facts.index || facts.count || facts.indexer ||
        facts.shared_memory)
        return false;
    for (const Parameter& each : signature.parameters) {
        if (each.raw || each.by_reference || (each.written && !each.output)) return false;
    }
    if (!signature.reduction) return true;
    return signature.reduction->accuracy == Accuracy::plain && !tells_places_beside_count(form);
}

// What the value of a node is in a statement of rows.
enum class Level : std::uint8_t {
    number,    // a number, the same everywhere
    elements,  // an array, or what is computed from one
    kept,      // one element for each row, whose axes have extent 1
    gone,      // one element for each row, without the axes
};

class Grouper {
public:
    explicit Grouper(const NodeList& list) : list_(list), states_(list.nodes.size()) {}

    std::vector<RowGroup> run() {
        for (std::size_t at = 0; at < list_.nodes.size(); ++at) classify(at);
        for (const std::size_t root : list_.roots) add_output(root);
        for (std::size_t at = 0; at < list_.nodes.size(); ++at) {
            if (!states_[at].is_mixed || !is_needed(at)) continue;
            for (const std::size_t each : list_.nodes[at].operands) add_output(each);
        }
        std::vector<RowGroup> groups;
        for (auto& [axes, outputs] : outputs_) {
            RowGroup group;
            group.outputs = std::move(outputs);
            if (complete(group)) groups.push_back(std::move(group));
        }
        return groups;
    }

private:
    struct State {
        Level level = Level::number;
        bool is_mixed = false;  // reductions along different axes, or a kernel of its own
        const std::vector<int>* axes = nullptr;  // of the reductions in it
    };

    void classify(std::size_t at) {
        const Node& node = list_.nodes[at];
        State& state = states_[at];
        if (node.is_array()) state.level = Level::elements;
        if (!node.is_function()) return;
        const auto mix = [&] { state.is_mixed = true; };
        if (!may_stand_in_rows(*node.form)) return mix();
        bool has_level[4] = {};
        for (const std::size_t each : node.operands) {
            const State& operand = states_[each];
            if (operand.is_mixed) return mix();
            has_level[static_cast<std::size_t>(operand.level)] = true;
            if (operand.axes == nullptr) continue;
            if (state.axes != nullptr && *state.axes != *operand.axes) return mix();
            state.axes = operand.axes;
        }
        const bool elements = has_level[1], kept = has_level[2], gone = has_level[3];
        if (gone && (elements || kept)) return mix();
        if (node.is_reduction()) {
            // Equal axes as they are written: -1 and 1 need not be the same axis.
            if (node.all_axes || node.axes.empty() || gone || !elements) return mix();
            if (state.axes != nullptr && *state.axes != node.axes) return mix();
            state.axes = &node.axes;
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
        if (state.is_mixed || state.axes == nullptr) return;
        std::vector<std::size_t>& outputs = outputs_[*state.axes];
        if (std::find(outputs.begin(), outputs.end(), at) == outputs.end()) outputs.push_back(at);
    }

    void collect(std::size_t at, std::set<std::size_t>& nodes) const {
        if (!nodes.insert(at).second) return;
        for (const std::size_t each : list_.nodes[at].operands) collect(each, nodes);
    }

    // Fills in the rest of the group. Returns whether it saves a kernel and is within the limits.
    bool complete(RowGroup& group) const {
        std::set<std::size_t> nodes;
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
        for (const std::size_t each : nodes) {
            const Node& node = list_.nodes[each];
            if (node.is_reduction()) group.reductions.push_back(each);
            functions += node.is_function() ? 1 : 0;
            inputs += node.is_function() || !node.constant.empty() ? 0 : 1;
        }
        return group.reductions.size() >= least && functions <= most_row_functions &&
               inputs <= most_row_inputs;
    }

    const NodeList& list_;
    std::vector<State> states_;
    std::vector<bool> needed_;
    std::map<std::vector<int>, std::vector<std::size_t>> outputs_;
};

// The shapes of a row kernel's loop, operands and outputs.
class StepShapes {
public:
    StepShapes(const Statement& statement,
               const Step& step,
               std::span<const Dims> arrays,
               std::span<const Dims> nodes)
        : list_(statement.list), step_(step), nodes_(nodes) {
        for (const StepInput& input : step.inputs) {
            if (input.from != StepInput::From::array) continue;
            broadcasts_ = broadcasts_ && broadcast_to_both(loop_, arrays[input.index]);
            ++array_count_;
        }
    }

    RowFit fit(DeviceKind device, std::int64_t processors) {
        if (!broadcasts_ || !find_axes() || !operands_fit() || !outputs_fit())
            return RowFit::other_shapes;
        std::int64_t rows = 1, row = array_count_;
        for (int axis = 0; axis < loop_.rank(); ++axis) {
            if (loop_[axis] == 0) return RowFit::other_shapes;
            std::int64_t& count = is_reduced(axis) ? row : rows;
            count = next_stride(count, loop_[axis]);
        }
        if (rows > std::numeric_limits<std::int32_t>::max()) return RowFit::many_rows;
        // Threads of the host have whole rows. Several kernels divide few long rows among them.
        constexpr std::int64_t least_shared = std::int64_t{1} << 17;
        return device == DeviceKind::host && row >= least_shared && rows < processors
                   ? RowFit::few_rows
                   : RowFit::fits;
    }

private:
    bool is_reduced(int axis) const { return contains(reduced_, axis); }

    bool find_axes() {
        for (const int axis : list_.nodes[step_.reduction].axes) {
            const int from_start = axis < 0 ? axis + loop_.rank() : axis;
            if (from_start < 0 || from_start >= loop_.rank()) return false;
            reduced_ |= AxisSet{1} << from_start;
        }
        return true;
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
            const RowOutput form = step_.definition.rows->outputs[k];
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

std::vector<RowGroup> find_row_groups(const NodeList& list) {
    const bool has_reductions = std::any_of(
        list.nodes.begin(), list.nodes.end(), [](const Node& node) { return node.is_reduction(); });
    if (!has_reductions) return {};
    return Grouper(list).run();
}

RowFit find_row_fit(const Statement& statement,
                    std::span<const Dims> arrays,
                    std::span<const Dims> nodes,
                    DeviceKind device,
                    std::int64_t processors) {
    for (const Step& step : statement.steps) {
        if (!step.definition.rows) continue;
        const RowFit fit = StepShapes(statement, step, arrays, nodes).fit(device, processors);
        if (fit != RowFit::fits) return fit;
    }
    return RowFit::fits;
}

}  // namespace kgen
