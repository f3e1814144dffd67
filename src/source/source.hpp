// SPDX-License-Identifier: MIT
//
// Source: the text that a compiler is given. Stage 4.
#pragma once

#include <string>
#include <vector>

#include "plan/baked.hpp"
#include "signature/signature.hpp"
#include "types/type_binding.hpp"

namespace kgen {

// A piece of the user's own text in a source, and the name by which #line directives call it:
// "squared_diff (operation)".
struct UserText {
    std::string label;
    std::string text;
};

struct Source {
    std::string text;
    std::string symbol;                // the entry point
    std::string accumulator_symbol;    // see Image
    std::vector<UserText> user_texts;  // what compile errors may point into
};

// Pure; equal arguments give equal bytes. Reads nothing of the call but `baked`. `headers`: those of the
// user's that the kernel includes, which may declare or need names of the prelude's.
Source generate_source(const Signature& signature,
                       const TypeBinding& types,
                       const Baked& baked,
                       const std::vector<UserText>& headers = {});

}  // namespace kgen
