// SPDX-License-Identifier: MIT
//
// Finds the facts about a kernel's bodies (BodyFacts), such as whether they use the index `i`, by reading
// their tokens. Plans depend on these facts. In case of doubt a name counts as used, which can make a kernel
// slower but never wrong.
#pragma once

#include "signature/lexed_definition.hpp"

namespace kgen {

// Fills signature.facts and the facts of its parameters. Reads the texts (code_texts) except the preamble,
// and the replacement texts of all macros that they may name (every #define, and -D among the options).
void find_body_facts(const LexedDefinition& lexed, Signature& signature);

}  // namespace kgen
