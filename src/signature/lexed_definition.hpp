// SPDX-License-Identifier: MIT
//
// LexedDefinition: a definition and the tokens of its texts. Each text is split into tokens once, when the
// kernel is defined. All later readers use these tokens.
#pragma once

#include <vector>

#include "signature/signature.hpp"
#include "signature/token.hpp"

namespace kgen {

struct LexedText : CodeText {
    std::vector<Token> tokens;
};

// A LexedDefinition cannot be copied or moved, because its tokens point into its texts.
struct LexedDefinition {
    // Throws SignatureError if the brackets of a text do not match.
    explicit LexedDefinition(Definition from);
    LexedDefinition(const LexedDefinition&) = delete;
    LexedDefinition& operator=(const LexedDefinition&) = delete;

    // Returns the tokens of one of the texts, which is a member of `definition`.
    const std::vector<Token>& tokens_of(const std::string& text) const;

    const Definition definition;
    // Whether compiling a text may read a file (see reads_files), or an option includes a file.
    const bool includes_files;
    std::vector<LexedText> texts;  // in the order of code_texts()
    std::vector<std::vector<Token>> options;
};

}  // namespace kgen
