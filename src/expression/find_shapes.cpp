// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <kgen/error.hpp>

#include "expression/node.hpp"
#include "plan/broadcast.hpp"
#include "text/error_parts.hpp"

namespace kgen {

namespace {

// Returns the first root that uses the node.
std::size_t root_of(const NodeList& list, std::size_t node) {
    std::vector<bool> uses(list.nodes.size());
    uses[node] = true;
    for (std::size_t at = node + 1; at < list.nodes.size(); ++at) {
        for (const std::size_t each : list.nodes[at].operands)
            if (uses[each]) uses[at] = true;
    }
    for (const std::size_t root : list.roots)
        if (uses[root]) return root;
    return node;
}

Dims reduced_shape(const NodeList& list, std::size_t at, const Dims& shape) {
    const Node& node = list.nodes[at];
    std::vector<bool> is_reduced(shape.size(), node.all_axes);
    for (const int axis : node.axes) {
        const int from_start = axis < 0 ? axis + shape.rank() : axis;
        if (from_start < 0 || from_start >= shape.rank()) {
            refuse<ShapeError>({ErrorKind::shape, "axis", {}, std::to_string(axis)},
                               "{}: axis {} does not exist; the operand has the shape {}{}",
                               describe_function(*node.definition),
                               axis,
                               to_text(shape),
                               node_excerpt(list, root_of(list, at), at));
        }
        is_reduced[static_cast<std::size_t>(from_start)] = true;
    }
    Dims kept;
    for (int axis = 0; axis < shape.rank(); ++axis) {
        if (!is_reduced[static_cast<std::size_t>(axis)]) {
            kept.push_back(shape[axis]);
        } else if (node.keepdims) {
            kept.push_back(1);
        }
    }
    return kept;
}

}  // namespace

std::vector<Dims> find_shapes(const NodeList& list,
                              std::span<const Dims> shapes,
                              std::span<const Dims> drawn) {
    std::vector<Dims> found;
    for (std::size_t at = 0; at < list.nodes.size(); ++at) {
        const Node& node = list.nodes[at];
        Dims shape;
        if (node.is_array()) shape = shapes[node.slot];
        if (node.is_shape()) shape = drawn[node.slot];
        for (std::size_t k = 0; k < node.operands.size(); ++k) {
            const Dims before = shape;
            const Dims& next = found[node.operands[k]];
            if (broadcast_to_both(shape, next)) continue;
            refuse<ShapeError>(
                {ErrorKind::shape, {}, to_text(before), to_text(next)},
                "{}: {} the shape {} and {} has {}, which do not broadcast{}",
                describe_function(*node.definition),
                k == 1 ? node_text(list, node.operands[0]) + " has" : "the operands before have",
                to_text(before),
                node_text(list, node.operands[k]),
                to_text(next),
                node_excerpt(list, root_of(list, at), at));
        }
        if (node.is_reduction()) shape = reduced_shape(list, at, shape);
        found.push_back(shape);
    }
    return found;
}

}  // namespace kgen
