// SPDX-License-Identifier: MIT
//
// Recognises reduce expressions and maps of a few usual forms from their tokens. Loops for a GPU fold narrow
// integers of these forms in 32 bits.
#pragma once

#include "signature/lexed_definition.hpp"

namespace kgen {

struct KnownFold {
    FoldOperation operation = FoldOperation::other;
    NanRule nan_rule = NanRule::other;
};

// Returns what the reduce expression does with `a` and `b`. A call of max or min counts only if the program cannot declare
// a function or macro of that name itself.
KnownFold find_known_fold(const LexedDefinition& lexed);

// Returns the inputs that the map adds, or the one that it compares with 0.
PlainMap find_plain_map(const LexedDefinition& lexed, const Signature& signature);

}  // namespace kgen
