// SPDX-License-Identifier: MIT
//
// The memory of a call: allocates the outputs, and copies inputs that the kernel would overwrite too early.
#pragma once

#include "call/bound_call.hpp"
#include "call/placement.hpp"
#include "plan/relaid_inputs.hpp"

namespace kgen {

// Whether a call may work on copies of its arguments.
enum class Temporaries {
    allowed,
    refused,  // for bound launches: each launch would need new copies
};

// Asks the driver about foreign arrays, if KGEN_CHECK_POINTERS is set. Throws DeviceError.
void check_arguments(const Signature& signature, const BoundCall& call);

// Allocates the new outputs. Copies each input that shares memory with an output, unless every iteration
// reads just the element that it writes. The result is as if all inputs were read before any output is
// written. Replaces complex arrays that are aligned to half an element by temporary arrays, because device
// code cannot access them. Runs the copies on `stream`. Throws ShapeError, before anything is copied, if two
// outputs overlap or a temporary array is needed but refused. Throws DeviceError if memory is short.
void prepare_memory(const Signature& signature,
                    BoundCall& call,
                    const Stream& stream,
                    Temporaries temporaries);

// Replaces inputs by copies that lie otherwise in memory, made on `stream`. Returns false, and replaces none, if memory for them is short.
bool relay_inputs(BoundCall& call, std::vector<RelaidInput> inputs, const Stream& stream);

// Returns what replaces an input. The copy is made on `stream`. Throws DeviceError if memory is short.
Array relaid_copy(const Array& source, const RelaidInput& input, const Stream& stream);

// Must be called after the launch. Copies temporary outputs to the arrays that they replace.
void finish_memory(BoundCall& call, const Stream& stream);

// Does the same for an explanation, without allocating. Each array without memory gets an imagined address
// that is aligned and far from all others.
void imagine_memory(const Signature& signature, BoundCall& call);

// Changes the addresses that imagine_memory() chose.
void place_memory(BoundCall& call, Placement placement);

}  // namespace kgen
