// SPDX-License-Identifier: MIT
//
// bind_call: matches the arguments of a call with the parameters and checks them against each other.
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

// An output to be allocated: the index of its parameter, its shape, and its strides in bytes.
struct NewOutput {
    std::size_t parameter;
    Dims shape;
    Dims strides;
};

// A call whose arguments fit. `arrays` and `operands` have one element per parameter.
struct BoundCall {
    Device device = Device::host();
    TypeBinding types;
    Dims loop;                      // the shape that the kernel's loop runs over
    AxisSet reduced_axes = 0;       // axes of `loop` that a reduction folds
    std::vector<Array> arrays;      // empty for numbers, ArraySpecs and new outputs
    std::vector<Operand> operands;  // see PlanRequest; address 0 if there is no array
    std::vector<NewOutput> new_outputs;
    // Outputs that a temporary array replaces: the parameter, and the array that receives a copy afterwards.
    std::vector<std::pair<std::size_t, Array>> write_backs;
    bool has_temporaries = false;  // some of `arrays` are copies of arguments
};

// Allocates, copies and launches nothing. Throws TypeError or ShapeError, naming the argument and the remedy.
BoundCall bind_call(const Signature& signature, const CallView& call, CallPurpose purpose);

// bind_call for a reduction. The loop has the shape to which the inputs broadcast. Outputs have that shape
// without the reduced axes, or with extent 1 there.
BoundCall bind_reduction(const Signature& signature, const CallView& call, CallPurpose purpose);

// Returns the strides with which an output of the given strides walks the loop: 0 along the reduced axes,
// whether or not the output has these axes.
Dims walk_of_output(const BoundCall& call, const Dims& strides);

// Returns the stream of a call: its own or the current one. Throws ShapeError if it belongs to another device
// than the arrays.
Stream stream_of(const Signature& signature, const BoundCall& call, const CallView& view);

}  // namespace kgen
