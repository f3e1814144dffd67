// SPDX-License-Identifier: MIT
//
// CodeTokens: the tokens of a program that a preprocessor keeps, without directives, and the places where
// its brackets close.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "signature/active_code.hpp"

namespace kgen {

inline bool is_opening(std::string_view text) {
    return text == "(" || text == "[" || text == "{" || text == "<:" || text == "<%";
}
inline bool is_closing(std::string_view text) {
    return text == ")" || text == "]" || text == "}" || text == ":>" || text == "%>";
}
inline bool opens_block(std::string_view text) {
    return text == "{" || text == "<%";
}
inline bool closes_block(std::string_view text) {
    return text == "}" || text == "%>";
}

// The code among all tokens of a text, numbered from 0. `all` must outlive the object. Construction takes
// linear time.
class CodeTokens {
public:
    // Without `uses`, all tokens are code.
    explicit CodeTokens(TokenSpan all, const std::vector<TokenUse>& uses = {});

    std::size_t size() const { return numbers_.size(); }
    // Index of the k-th token of the code in the list of all tokens.
    std::size_t number(std::size_t k) const { return numbers_[k]; }
    const Token& at(std::size_t k) const { return all_[numbers_[k]]; }
    // Empty if k is past the last token. k may also wrap around to -1, the place before the first token.
    std::string_view text(std::size_t k) const {
        return k < numbers_.size() ? at(k).text : std::string_view();
    }
    bool is_identifier(std::size_t k) const {
        return k < numbers_.size() && at(k).kind == TokenKind::identifier;
    }
    // Number of the token behind the bracket that closes the one at k (of any kind); size() if none does.
    std::size_t behind_bracket(std::size_t k) const { return behind_[k]; }
    // Number of the next token; if an opening bracket is at k, of the one behind its closing bracket.
    std::size_t behind(std::size_t k) const {
        return is_opening(text(k)) ? behind_bracket(k) : k + 1;
    }

private:
    TokenSpan all_;
    std::vector<std::size_t> numbers_;
    std::vector<std::size_t> behind_;
};

// A scope that is not a function or class body: `namespace a::b {`, `namespace {` or `extern "C" {`.
struct OpenedScope {
    std::string name;  // "a::b"; empty for an unnamed namespace and for extern "C"
    bool is_inline = false;
};

// Returns the scope that the token `brace` opens, where `begin` is the first token of its declaration.
// Returns nothing if the brace opens a body or an initializer.
std::optional<OpenedScope> opened_scope(const CodeTokens& code,
                                        std::size_t begin,
                                        std::size_t brace);

}  // namespace kgen
