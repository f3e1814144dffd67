// SPDX-License-Identifier: MIT
//
// bind_call: matches the arguments of a call with the parameters and checks them against each other.
#pragma once

#include <cstddef>
#include <forward_list>
#include <kgen/argument.hpp>
#include <utility>
#include <vector>

#include "call/call_view.hpp"
#include "dtype/inline_vector.hpp"
#include "plan/operand.hpp"
#include "plan/plan.hpp"
#include "plan/relaid_inputs.hpp"
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

// A call whose arguments fit. `arrays` and `operands` have one element per parameter. Borrows the arguments of the
// call, which must outlive it.
struct BoundCall {
    Device device = Device::host();
    TypeBinding types;
    Dims loop;                 // the shape that the kernel's loop runs over
    AxisSet reduced_axes = 0;  // axes of `loop` that a reduction folds
    // Arguments of the call, or arrays of `made`; nullptr for numbers, ArraySpecs and new outputs.
    PerParameter<const Array*> arrays;
    PerParameter<Operand> operands;  // see PlanRequest; address 0 if there is no array
    std::vector<NewOutput> new_outputs;
    // Outputs that a temporary array replaces: the parameter, and the array that receives a copy afterwards.
    std::vector<std::pair<std::size_t, Array>> write_backs;
    // Inputs whose arrays are copies with other strides, and the arguments that these copies replace, for leave_inputs().
    struct Left {
        std::size_t operand;
        const Array* array;
        Operand facts;
    };
    std::vector<RelaidInput> relaid;
    std::vector<Left> left;
    bool has_temporaries = false;   // some of `arrays` are copies of arguments
    std::forward_list<Array> made;  // new outputs and temporary arrays

    // Makes an array the one of parameter k.
    void take(std::size_t k, Array array) { arrays[k] = &made.emplace_front(std::move(array)); }
};

// Allocates, copies and launches nothing. Throws TypeError or ShapeError, naming the argument and the remedy.
BoundCall bind_call(const Signature& signature, const CallView& call, CallPurpose purpose);

// bind_call for a reduction or a row kernel, into an empty `bound`. The loop has the shape to which the inputs broadcast.
// Outputs have that shape without the reduced axes, or with extent 1 there; those of row kernels may have all of it.
void bind_reduction(const Signature& signature,
                    const CallView& call,
                    CallPurpose purpose,
                    BoundCall& bound);

// Returns the strides with which an output of the given shape and strides walks the loop: 0 along the reduced axes unless it
// has all elements of the loop, whether or not the output has these axes.
Dims walk_of_output(const BoundCall& call, const Dims& shape, const Dims& strides);

// Returns the stream of a call: its own or the current one. Throws ShapeError if it belongs to another device
// than the arrays.
Stream stream_of(const Signature& signature, const BoundCall& call, const CallView& view);

}  // namespace kgen
