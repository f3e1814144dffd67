// SPDX-License-Identifier: MIT
//
// Tokenizer of C++ texts. kgen uses it to find names, and to check that a body closes its brackets and so
// cannot change the code around it. It is not a preprocessor: directives are tokens like any others.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kgen {

enum class TokenKind { identifier, number, literal, punctuation };

struct Token {
    TokenKind kind;
    std::string_view text;  // points into the text that was tokenized
    std::size_t offset;     // in bytes
    bool starts_line;       // only blanks and comments stand before it on its line
};

using TokenSpan = std::span<const Token>;

// Whether the token is the # of a directive.
inline bool begins_directive(const Token& token) {
    return token.starts_line && (token.text == "#" || token.text == "%:");
}
// Whether the token is the operator that makes a name of two others.
inline bool pastes(const Token& token) {
    return token.text == "##" || token.text == "%:%:";
}

// A place that cannot be tokenized, or whose brackets do not match, and the reason.
struct TokenError {
    std::size_t offset;
    std::size_t length;
    std::string reason;  // "this string is not closed"
};

struct TokenList {
    std::vector<Token> tokens;
    std::vector<TokenError> errors;  // the first error, if any
};

// Splits a text into tokens. Skips comments and line continuations, so a continued directive is one line.
// String, raw string and character literals are single tokens. Operators of two or three characters that kgen
// looks for (&& :: -> ++ <= and others) and digraphs (<% for {, <: for [) are single tokens too.
TokenList tokenize(std::string_view text);

// Returns the tokens outside of all brackets and directives, and the outermost brackets themselves.
std::vector<Token> outer_tokens(TokenSpan tokens);

// Returns the first place where a bracket or an #if is not closed, or closes nothing, and the first #line.
// Empty if there is none, or if the branches of an #if leave different brackets open, because only a
// preprocessor can judge that.
std::vector<TokenError> find_imbalance(const TokenList& list);

}  // namespace kgen
