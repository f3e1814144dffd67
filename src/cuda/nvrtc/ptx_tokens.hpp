// SPDX-License-Identifier: MIT
//
// PtxTokens: splits PTX into tokens. A name, a number, a directive (".param") or an operation code with its
// types ("ld.param.u64") is one token. Any other character is a token by itself.
#pragma once

#include <string_view>

namespace kgen {

class PtxTokens {
public:
    explicit PtxTokens(std::string_view text) : text_(text) {}

    // Returns the next token; empty at the end. Skips comments and strings.
    std::string_view next() {
        while (at_ < text_.size()) {
            const std::size_t start = at_;
            if (is_word(text_[at_])) {
                while (at_ < text_.size() && is_word(text_[at_])) ++at_;
                return text_.substr(start, at_ - start);
            }
            const std::string_view rest = text_.substr(at_);
            if (rest.substr(0, 2) == "//") {
                skip_past(text_.find('\n', at_), 1);
            } else if (rest.substr(0, 2) == "/*") {
                skip_past(text_.find("*/", at_ + 2), 2);
            } else if (rest.front() == '"') {
                skip_past(text_.find('"', at_ + 1), 1);
            } else {
                ++at_;
                if (!is_blank(rest.front())) return rest.substr(0, 1);
            }
        }
        return {};
    }

private:
    static bool is_word(char c) noexcept {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '$' || c == '%' || c == '.';
    }
    static bool is_blank(char c) noexcept {
        return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\0';
    }
    void skip_past(std::size_t end, std::size_t length) noexcept {
        at_ = end == std::string_view::npos ? text_.size() : end + length;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace kgen
