// SPDX-License-Identifier: MIT
//
// What the bodies of a kernel use, read from their tokens. Decides what a plan may do; when in
// doubt it says "used", which costs speed and never meaning.
#pragma once

#include "signature/signature.hpp"

namespace kgen {

// Fills signature.facts and the facts of its parameters from the operation, loop_prep, after_loop,
// and from the replacement texts of macros (#define in the preamble, -D among the options), which
// the bodies may name.
void find_body_facts(const Definition& definition, Signature& signature);

}  // namespace kgen
