// SPDX-License-Identifier: MIT
//
// Replaces reductions that need the result of another one.
#pragma once

#include "expression/node.hpp"

namespace kgen {

// Replaces max(u) and sum(exp(u - max(u))), and mean(u) and mean(square(u - mean(u))), which run along the same axes, by reductions of u
// that need no other one and share an accumulator. They are as accurate: sums are scaled to the largest element so far (logsumexp), and
// the squares of parts merge by the distance of their means (var). A mean whose sum would overflow is finite.
void fold_in_one_pass(NodeList& list);

}  // namespace kgen
