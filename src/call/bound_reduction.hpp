// SPDX-License-Identifier: MIT
//
// bind_reduction: bind_call for a reduction.
#pragma once

#include "call/bound_call.hpp"

namespace kgen {

// The loop has the shape to which the inputs broadcast. Outputs have that shape without the reduced axes, or
// with extent 1 there.
BoundCall bind_reduction(const Signature& signature, const CallView& call, CallPurpose purpose);

// Returns the strides with which an output of the given strides walks the loop: 0 along the reduced axes,
// whether or not the output has these axes.
Dims walk_of_output(const BoundCall& call, const Dims& strides);

}  // namespace kgen
