// SPDX-License-Identifier: MIT
//
// bind_call: the arguments of a call, matched with the parameters and checked against each other.
#pragma once

#include <cstddef>
#include <kgen/argument.hpp>
#include <utility>
#include <vector>

#include "call/call_view.hpp"
#include "plan/operand.hpp"
#include "plan/plan.hpp"
#include "signature/signature.hpp"
#include "types/type_binding.hpp"

namespace kgen {

enum class CallPurpose {
    run,      // arguments have memory
    explain,  // ArraySpecs are allowed
};

// An output to be allocated: its parameter and its own shape and strides, in bytes.
struct NewOutput {
    std::size_t parameter;
    Dims shape;
    Dims strides;
};

// A call whose arguments fit. `arrays` and `operands` have one element a parameter.
struct BoundCall {
    Device device = Device::host();
    TypeBinding types;
    Dims loop;                      // the shape that the kernel's loop runs over
    AxisSet reduced_axes = 0;       // those of them that a reduction folds
    std::vector<Array> arrays;      // empty for numbers, specs, and outputs to be allocated
    std::vector<Operand> operands;  // as PlanRequest has them; address 0 where there is no array
    std::vector<NewOutput> new_outputs;
    // Outputs that a temporary array stands in for: parameter, and the array to copy it to.
    std::vector<std::pair<std::size_t, Array>> write_backs;
    bool has_temporaries = false;  // some of `arrays` stand in for arguments
};

// Throws TypeError or ShapeError, naming the argument and the way out. Nothing is allocated,
// copied or launched.
BoundCall bind_call(const Signature& signature, const CallView& call, CallPurpose purpose);

}  // namespace kgen
