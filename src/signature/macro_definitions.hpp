// SPDX-License-Identifier: MIT
//
// find_macros: finds the #defines of a text.
#pragma once

#include <cstddef>
#include <vector>

#include "signature/token.hpp"

namespace kgen {

// A #define; its members are indices into the tokens of the text.
struct MacroDefinition {
    std::size_t name = 0;
    std::size_t replacement = 0;  // first token of the replacement text
    std::size_t end = 0;          // behind its last token
    // Function-like macro: parameters in brackets stand between the name and the replacement text.
    bool takes_arguments = false;
};

// Returns all #defines in the order of the text, including those that an #if leaves out.
std::vector<MacroDefinition> find_macros(TokenSpan tokens);

// Returns the tokens that replace the macro's name.
inline TokenSpan replacement_of(TokenSpan tokens, const MacroDefinition& macro) {
    return tokens.subspan(macro.replacement, macro.end - macro.replacement);
}

}  // namespace kgen
