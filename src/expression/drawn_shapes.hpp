// SPDX-License-Identifier: MIT
//
// Shapes of the draws of random numbers in a statement. An element's number depends on its place in the drawn array, which is
// its place in the kernel's loop only if both have one shape.
#pragma once

#include <kgen/dims.hpp>
#include <span>
#include <vector>

#include "expression/statement.hpp"

namespace kgen {

// Returns the shape that the kernel of a step loops over, from those of all nodes.
Dims loop_shape(const NodeList& list, const Step& step, const std::vector<Dims>& shapes);
// Whether each draw of random numbers in the statement has the shape of its kernel's loop, so that its elements have their
// own numbers. `drawn` are the shapes of the draws.
bool draws_fit(const Statement& statement,
               const std::vector<Dims>& shapes,
               std::span<const Dims> drawn);

}  // namespace kgen
