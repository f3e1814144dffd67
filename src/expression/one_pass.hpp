// SPDX-License-Identifier: MIT
//
// Replaces reductions that need the result of another one.
#pragma once

#include "expression/node.hpp"

namespace kgen {

// Replaces sum(exp(u - max(u))) and mean(square(u - mean(u))), whose reductions run along the same axes, by reductions of u
// that need no other one. Both are as accurate: sums are scaled to the largest element so far (logsumexp), and the squares of parts merge by the
// distance of their means (var). `rank` is that of the arrays.
void fold_in_one_pass(NodeList& list, int rank);

}  // namespace kgen
