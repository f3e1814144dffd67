// SPDX-License-Identifier: MIT
//
// CodeTokens: the tokens of a program that a preprocessor would keep, directives apart, and where its
// brackets close.
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

// `all` must outlive it. Linear.
class CodeTokens {
public:
    CodeTokens(const std::vector<Token>& all, const std::vector<TokenUse>& uses);
    // Takes all tokens: the text has no directives.
    explicit CodeTokens(const std::vector<Token>& all);

    std::size_t size() const { return numbers_.size(); }
    // The number among all tokens that the k-th token of the code has.
    std::size_t number(std::size_t k) const { return numbers_[k]; }
    const Token& at(std::size_t k) const { return all_[numbers_[k]]; }
    // Empty before the first token, which is number -1, and behind the last one.
    std::string_view text(std::size_t k) const {
        return k < numbers_.size() ? at(k).text : std::string_view();
    }
    bool is_identifier(std::size_t k) const {
        return k < numbers_.size() && at(k).kind == TokenKind::identifier;
    }
    // The number behind the bracket, of any kind, that closes the one at k; the end where none does.
    std::size_t behind_bracket(std::size_t k) const { return behind_[k]; }
    // The number behind the token at k, or behind the bracket that closes it.
    std::size_t behind(std::size_t k) const {
        return is_opening(text(k)) ? behind_bracket(k) : k + 1;
    }

private:
    std::vector<std::size_t> find_ends() const;

    const std::vector<Token>& all_;
    std::vector<std::size_t> numbers_;
    std::vector<std::size_t> behind_;
};

// A scope whose brace opens no body: `namespace a::b {`, `namespace {` or `extern "C" {`.
struct OpenedScope {
    std::string name;  // "a::b", empty for the others
    bool is_inline = false;
};

// Returns the scope that the brace opens, whose declaration begins at `begin`; nothing if it opens a body or an
// initializer.
std::optional<OpenedScope> opened_scope(const CodeTokens& code,
                                        std::size_t begin,
                                        std::size_t brace);

}  // namespace kgen
