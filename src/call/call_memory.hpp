// SPDX-License-Identifier: MIT
//
// The memory of a call: outputs are allocated, and inputs copied that a store would change.
#pragma once

#include "call/bound_call.hpp"
#include "call/placement.hpp"

namespace kgen {

// Whether a call may work on copies of its arguments.
enum class Temporaries {
    allowed,
    refused,  // it is to be launched again: each launch would need copies anew
};

// Allocates the new outputs, and copies inputs that share memory with an output without being
// exactly in place, so that the answer is as if all were read before anything is written. Complex
// arrays that are aligned to half an element only, which device code cannot access, give way to
// temporary ones. Work goes to `stream`. Throws ShapeError if two outputs overlap or a temporary
// array is refused (before anything is copied), and DeviceError when memory is short.
void prepare_memory(const Signature& signature,
                    BoundCall& call,
                    const Stream& stream,
                    Temporaries temporaries);

// After the launch: copies temporary outputs to the arrays that they stand in for.
void finish_memory(BoundCall& call, const Stream& stream);

// The same for an explanation: nothing is allocated; what has no memory gets an address of its own,
// aligned and apart from all others.
void imagine_memory(const Signature& signature, BoundCall& call);

// Moves what imagine_memory() has placed.
void place_memory(BoundCall& call, Placement placement);

}  // namespace kgen
