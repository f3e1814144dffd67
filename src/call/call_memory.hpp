// SPDX-License-Identifier: MIT
//
// The memory of a call: allocates the outputs, and copies inputs that the kernel would overwrite too early.
#pragma once

#include "call/bound_call.hpp"
#include "call/placement.hpp"
#include "device/backend.hpp"
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

// Returns what replaces the inputs, one array for each. The copies are made on `stream`. Returns nothing if they cannot be made, because
// memory is short or their kernel cannot be compiled. `arrays` has one element for each parameter.
std::vector<Array> relaid_copies(std::span<const RelaidInput> inputs,
                                 std::span<const Array* const> arrays,
                                 const Stream& stream);

// Whether copies may be made on the stream. If another library captures it, they would never be freed.
bool may_relay(const Backend& device, const Stream& stream);

// Replaces inputs by copies that lie otherwise in memory, if they can be made. leave_inputs() takes that back.
void relay_inputs(BoundCall& call, std::vector<RelaidInput> inputs, const Stream& stream);
void leave_inputs(BoundCall& call);

// Must be called after the launch. Copies temporary outputs to the arrays that they replace.
void finish_memory(BoundCall& call, const Stream& stream);

// Does the same for an explanation, without allocating. Each array without memory gets an imagined address
// that is aligned and far from all others.
void imagine_memory(const Signature& signature, BoundCall& call);

// Changes the addresses that imagine_memory() chose.
void place_memory(BoundCall& call, Placement placement);

}  // namespace kgen
