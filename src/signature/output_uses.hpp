// SPDX-License-Identifier: MIT
//
// What a definition does with its outputs: a new one has no values but those that the texts give it.
#pragma once

#include "signature/signature.hpp"

namespace kgen {

// Throws SignatureError if no text names an output: it could not be written. A macro that may stand for the name counts,
// a comment, a string, what #if leaves out, a member or a local variable of that name do not.
//
// Sets Parameter::read_first of the outputs that are read before they are written for certain: nothing but reads
// (`y += x`), or a first statement that reads and that each element runs (`y = y + x`). When in doubt it says no.
void find_output_uses(const Definition& definition, Signature& signature);

}  // namespace kgen
