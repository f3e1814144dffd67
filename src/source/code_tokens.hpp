// SPDX-License-Identifier: MIT
//
// CodeTokens: the tokens of a program that a preprocessor would keep, directives apart, and where its
// brackets close.
#pragma once

#include <cstddef>
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

// `all` must outlive it.
class CodeTokens {
public:
    CodeTokens(const std::vector<Token>& all, const std::vector<TokenUse>& uses) : all_(all) {
        for (std::size_t k = 0; k < all.size(); ++k) {
            if (uses[k] == TokenUse::code) numbers_.push_back(k);
        }
        behind_.assign(numbers_.size(), numbers_.size());
        std::vector<std::size_t> open;
        for (std::size_t k = 0; k < numbers_.size(); ++k) {
            if (is_opening(text(k))) open.push_back(k);
            if (!is_closing(text(k)) || open.empty()) continue;
            behind_[open.back()] = k + 1;
            open.pop_back();
        }
    }

    std::size_t size() const { return numbers_.size(); }
    // Of the k-th token of the code, its number among all.
    std::size_t number(std::size_t k) const { return numbers_[k]; }
    const Token& at(std::size_t k) const { return all_[numbers_[k]]; }
    std::string_view text(std::size_t k) const {
        return k < numbers_.size() ? at(k).text : std::string_view();
    }
    bool is_identifier(std::size_t k) const {
        return k < numbers_.size() && at(k).kind == TokenKind::identifier;
    }
    // The number behind the bracket, of any kind, that closes the one at k; the end where none does.
    std::size_t behind_bracket(std::size_t k) const { return behind_[k]; }

private:
    const std::vector<Token>& all_;
    std::vector<std::size_t> numbers_;
    std::vector<std::size_t> behind_;
};

}  // namespace kgen
