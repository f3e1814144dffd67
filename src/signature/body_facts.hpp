// SPDX-License-Identifier: MIT
//
// What the bodies of a kernel use, read from their tokens. Decides what a plan may do; when in
// doubt it says "used", which costs speed and never meaning.
#pragma once

#include "signature/signature.hpp"

namespace kgen {

// Fills signature.facts and the facts of its parameters from the texts (code_texts) but the preamble,
// and from the replacement texts of macros (#define anywhere, -D among the options), which the texts
// may name.
void find_body_facts(const Definition& definition, Signature& signature);

}  // namespace kgen
