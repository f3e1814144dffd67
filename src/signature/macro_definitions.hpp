// SPDX-License-Identifier: MIT
//
// find_macros: the #defines of a text.
#pragma once

#include <cstddef>
#include <vector>

#include "signature/token.hpp"

namespace kgen {

// A #define, as indices into the tokens of its text.
struct MacroDefinition {
    std::size_t name = 0;
    std::size_t replacement = 0;  // the first token of it
    std::size_t end = 0;          // behind the last one
    // Whether it is like a function: its parameters stand in brackets between the name and the replacement.
    bool takes_arguments = false;
};

// In the order of the text, whatever an #if leaves out.
std::vector<MacroDefinition> find_macros(const std::vector<Token>& tokens);

// The tokens that stand for the macro's name.
std::vector<Token> replacement_of(const std::vector<Token>& tokens, const MacroDefinition& macro);

}  // namespace kgen
