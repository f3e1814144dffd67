// SPDX-License-Identifier: MIT
//
// Finds what each output of an elementwise kernel is computed from, so that a plan may compute outputs apart from each other.
#pragma once

#include "signature/lexed_definition.hpp"

namespace kgen {

// Sets Signature::output_needs of an elementwise kernel of several outputs whose operation is a sequence of assignments and declarations
// that call mathematical functions at most. In doubt it is not set: with other texts or options, control flow, blocks, references, addresses,
// arrays, other functions, unknown names, random numbers or an output that no assignment names.
void find_output_needs(const LexedDefinition& lexed, Signature& signature);

}  // namespace kgen
