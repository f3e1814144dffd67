// SPDX-License-Identifier: MIT
//
// The tokens of a C++ text, as far as kgen needs them: to find names, and to check that a body
// leaves what stands around it alone. Not a preprocessor: directives are tokens like others.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kgen {

enum class TokenKind { identifier, number, literal, punctuation };

struct Token {
    TokenKind kind;
    std::string_view text;  // part of the text that was tokenized
    std::size_t offset;
    bool starts_line;  // nothing but blanks and comments before it on its line
};

// Where a text cannot be read, and why.
struct TokenError {
    std::size_t offset;
    std::size_t length;
    std::string reason;  // "this string is not closed"
};

struct TokenList {
    std::vector<Token> tokens;
    std::vector<TokenError> errors;  // at most one, the first
};

// Comments are skipped, line continuations inside directives are followed, raw strings and
// character literals are single tokens. Multi-character punctuation is read as in C++ where kgen
// needs it: && :: -> ++ -- and digraphs (<% as {, <: as [).
TokenList tokenize(std::string_view text);

// The tokens that stand outside of all brackets and directives; of brackets the outermost.
std::vector<Token> outer_tokens(const TokenList& list);

// The first place where brackets or #if/#endif do not close within the text; none if all do.
std::vector<TokenError> find_imbalance(const TokenList& list);

}  // namespace kgen
