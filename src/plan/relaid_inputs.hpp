// SPDX-License-Identifier: MIT
//
// find_relaid_inputs: finds inputs of a call that are worth a copy with other strides. If arrays run fastest along different axes, each loop
// accesses some of them badly. A copy turns an input at the speed of memory, and the call then accesses all arrays well.
#pragma once

#include <cstddef>
#include <vector>

#include "plan/plan.hpp"

namespace kgen {

// An input, and the shape and strides of what replaces it: a copy, broadcast to the shape of the loop. Strides are in bytes, and 0 along the
// axes along which the copy has one element.
struct RelaidInput {
    std::size_t operand;
    Dims shape;
    Dims strides;
};

struct Relaying {
    std::vector<RelaidInput> inputs;  // empty if the call should run as it is
    // Predicted times on a usual GPU of the architecture, in nanoseconds; 0 without inputs.
    double copies_ns = 0;
    double call_ns = 0;     // of the launch after the copies
    double without_ns = 0;  // of the launch without copies
};

// A pure function. Only large calls of devices that predict times have such inputs.
Relaying find_relaid_inputs(const PlanRequest& request);

// Gives operands the shapes and strides of the copies, and addresses that are aligned and far from all others.
void imagine_copies(std::span<const RelaidInput> inputs, std::span<Operand> operands);

}  // namespace kgen
