// SPDX-License-Identifier: MIT
//
// Writes the strings of a kernel that computes several nodes. Each function's text stands in a lambda of its own, so
// that it sees only its own names.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "expression/node.hpp"
#include "signature/signature.hpp"

namespace kgen {

// What a kernel computes. `inputs` and `inside` are nodes in ascending order; the functions `inside` use only these and
// `inputs`. In a reduction, `before` belongs to the map and `inside` follows the reduction.
struct StepNodes {
    std::vector<std::size_t> inputs;
    std::vector<std::size_t> inside;
    std::vector<std::size_t> outputs;
    std::size_t reduction = no_node;
    std::vector<std::size_t> before = {};
};

Definition elementwise_definition(const NodeList& list, const StepNodes& step);
Definition reduction_definition(const NodeList& list, const StepNodes& step);

}  // namespace kgen
