// SPDX-License-Identifier: MIT
#include "expression/drawn_shapes.hpp"

#include <algorithm>

#include "dtype/strides.hpp"
#include "plan/broadcast.hpp"

namespace kgen {

Dims loop_shape(const NodeList& list, const Step& step, const std::vector<Dims>& shapes) {
    if (step.reduction == no_node) return shapes[step.outputs[0]];
    Dims loop;
    const auto add = [&](std::size_t reduction) {
        for (const std::size_t each : list.nodes[reduction].operands)
            broadcast_to_both(loop, shapes[each]);
    };
    add(step.reduction);
    for (const std::size_t each : step.reductions) add(each);
    for (std::size_t k = 0; step.definition.rows && k < step.outputs.size(); ++k) {
        if (step.definition.rows->outputs[k] == RowOutput::elements)
            broadcast_to_both(loop, shapes[step.outputs[k]]);
    }
    return loop;
}

bool draws_fit(const Statement& statement,
               const std::vector<Dims>& shapes,
               std::span<const Dims> drawn) {
    return std::all_of(statement.steps.begin(), statement.steps.end(), [&](const Step& step) {
        if (step.drawn.empty()) return true;
        const std::int64_t count = extent_product(loop_shape(statement.list, step, shapes));
        return std::all_of(step.drawn.begin(), step.drawn.end(), [&](std::size_t each) {
            return extent_product(drawn[each]) == count;
        });
    });
}

}  // namespace kgen
