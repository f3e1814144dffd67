// SPDX-License-Identifier: MIT
#include "program/shared_array_scan.hpp"

#include <set>
#include <string_view>

namespace kgen {

namespace {

// Returns the indices, among all tokens, of the `extern`s outside functions.
std::set<std::size_t> namespace_tokens(const CodeTokens& code) {
    std::set<std::size_t> found;
    std::size_t begin = 0;
    for (std::size_t k = 0; k < code.size();) {
        const std::string_view text = code.text(k);
        if (text == "extern") found.insert(code.number(k));
        const bool is_body = opens_block(text) && !opened_scope(code, begin, k);
        const bool ends = opens_block(text) || text == ";" || closes_block(text);
        k = is_body ? code.behind_bracket(k) : k + 1;
        if (ends) begin = k;
    }
    return found;
}

}  // namespace

std::vector<ScannedSharedArray> find_shared_arrays(const std::vector<Token>& all,
                                                   const std::vector<TokenUse>& uses,
                                                   const CodeTokens& code) {
    std::vector<ScannedSharedArray> found;
    const std::set<std::size_t> in_namespace = namespace_tokens(code);
    for (std::size_t k = 0; k < all.size(); ++k) {
        if (uses[k] == TokenUse::skipped || all[k].text != "extern") continue;
        bool is_shared = false;
        std::size_t end = k + 1;
        while (end < all.size() && all[end].text != ";" && all[end].text != "{" &&
               uses[end] == uses[k]) {
            is_shared |= all[end].text == "__shared__";
            ++end;
        }
        if (is_shared && end < all.size() && all[end].text == ";") {
            found.push_back({k, end, in_namespace.count(k) == 0});
            k = end;
        } else {
            k = end - 1;  // a second `extern` before the end would end there too
        }
    }
    return found;
}

}  // namespace kgen
