// SPDX-License-Identifier: MIT
//
// Finds from the tokens of a kernel's bodies what they use, which decides what a plan may do. In doubt a
// thing counts as used: that can make a kernel slower, but never wrong.
#pragma once

#include "signature/signature.hpp"

namespace kgen {

// Fills signature.facts and the facts of its parameters. Reads the texts (code_texts) except the preamble,
// and the replacement texts of all macros that they may name (every #define, and -D among the options).
void find_body_facts(const Definition& definition, Signature& signature);

}  // namespace kgen
