// SPDX-License-Identifier: MIT
//
// bind_reduction: bind_call for a reduction.
#pragma once

#include "call/bound_call.hpp"

namespace kgen {

// The loop is the shape to which the inputs broadcast; outputs have that shape without the reduced
// axes, or with extent 1 there.
BoundCall bind_reduction(const Signature& signature, const CallView& call, CallPurpose purpose);

// The strides by which an output with these strides of its own walks the loop: 0 along the axes that
// are reduced, whether the output has them or not.
Dims walk_of_output(const BoundCall& call, const Dims& strides);

}  // namespace kgen
