// SPDX-License-Identifier: MIT
//
// What the texts of a reduction are and use, read from their tokens.
#pragma once

#include "signature/signature.hpp"

namespace kgen {

// Fills signature.reduction from the texts of a reduction, whose brackets close, and from the macros
// that they may name. Throws SignatureError where texts and parameters make no reduction.
void find_reduction_facts(const Definition& definition, Signature& signature);

}  // namespace kgen
