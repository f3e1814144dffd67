// SPDX-License-Identifier: MIT
#include "signature/code_tokens.hpp"

namespace kgen {

CodeTokens::CodeTokens(TokenSpan all, const std::vector<TokenUse>& uses) : all_(all) {
    for (std::size_t k = 0; k < all.size(); ++k) {
        if (uses.empty() || uses[k] == TokenUse::code) numbers_.push_back(k);
    }
    behind_.assign(size(), size());
    std::vector<std::size_t> open;
    for (std::size_t k = 0; k < size(); ++k) {
        if (is_opening(text(k))) open.push_back(k);
        if (!is_closing(text(k)) || open.empty()) continue;
        behind_[open.back()] = k + 1;
        open.pop_back();
    }
}

std::optional<OpenedScope> opened_scope(const CodeTokens& code,
                                        std::size_t begin,
                                        std::size_t brace) {
    OpenedScope scope;
    scope.is_inline = code.text(begin) == "inline";
    std::size_t k = begin + (scope.is_inline ? 1 : 0);
    if (code.text(k) == "extern" && k + 2 == brace && code.at(k + 1).kind == TokenKind::literal)
        return scope;
    if (code.text(k) != "namespace") return std::nullopt;
    for (++k; k < brace; ++k) {
        if (code.text(k) != "inline") scope.name += code.text(k);
    }
    return scope;
}

}  // namespace kgen
