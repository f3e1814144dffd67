// SPDX-License-Identifier: MIT
//
// Finds from the tokens of a reduction's texts which form they have and what they use.
#pragma once

#include "signature/lexed_definition.hpp"

namespace kgen {

// Fills signature.reduction from the texts of a reduction and the macros that they may name. Throws
// SignatureError if the texts and parameters do not make a reduction.
void find_reduction_facts(const LexedDefinition& lexed, Signature& signature);

}  // namespace kgen
