// SPDX-License-Identifier: MIT
//
// Writes the strings of the kernel that computes a row group.
#pragma once

#include <cstddef>
#include <vector>

#include "expression/row_groups.hpp"

namespace kgen {

// Returns the definition, and the nodes that it reads as `inputs`.
Definition row_definition(const NodeList& list,
                          const RowGroup& group,
                          std::vector<std::size_t>& inputs);

// Whether a text of the reduction uses names of kgen for places, except for the index in the row, `_J` in the map, and the
// number of elements that are folded into one, `_in_ind.size() / _out_ind.size()`.
bool tells_other_places(const TemplateOverload& reduction);

}  // namespace kgen
