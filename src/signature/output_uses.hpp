// SPDX-License-Identifier: MIT
//
// Finds how a definition uses its outputs. A new output is uninitialized, so the texts must write it and must
// not read it first.
#pragma once

#include "signature/lexed_definition.hpp"

namespace kgen {

// Sets Parameter::unnamed of outputs that no text names. A macro that may stand for the name counts as naming
// it. Comments, strings, code that #if leaves out, and members or local variables of that name do not.
//
// Sets Parameter::read_first of outputs that are certainly read before they are written: every use reads the
// old value (`y += x`), or the first statement does and runs for each element (`y = y + x`). In doubt it is
// not set.
//
// Sets Parameter::overwritten of outputs whose old values certainly have no use: the first statement that
// names the output runs for each element, begins with an assignment to it, and names it only there. In doubt
// it is not set.
void find_output_uses(const LexedDefinition& lexed, Signature& signature);

// Throws SignatureError if an output is unnamed, because no kernel can be made of such a definition.
void check_outputs_named(const Signature& signature);

}  // namespace kgen
