// SPDX-License-Identifier: MIT
//
// What a definition does with its outputs: a new one has no values but those that the texts give it.
#pragma once

#include "signature/signature.hpp"

namespace kgen {

// Sets Parameter::unnamed of outputs that no text names. A macro that may stand for the name counts, a comment, a string, what
// #if leaves out, a member or a local variable of that name do not.
//
// Sets Parameter::read_first of those that are read before they are written for certain: nothing but reads (`y += x`), or a
// first statement that reads and that each element runs (`y = y + x`). When in doubt it says no.
void find_output_uses(const Definition& definition, Signature& signature);

// Throws SignatureError if no text names an output: no kernel is made of such a definition.
void check_outputs_named(const Signature& signature);

}  // namespace kgen
