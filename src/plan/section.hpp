// SPDX-License-Identifier: MIT
//
// Section: the place of a call's loop in a larger one.
#pragma once

#include <kgen/dims.hpp>

namespace kgen {

// Several devices share the larger loop. The call's loop begins at `start` in it and has the same rank. The indices in the
// texts (`i`, `n`, `_ind` and those of reductions) are those of the larger loop.
struct Section {
    Dims whole = {};  // the larger loop's shape
    Dims start = {};
};

}  // namespace kgen
