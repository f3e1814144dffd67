// SPDX-License-Identifier: MIT
//
// PtxTokens: reads PTX word by word. Words are names, numbers, directives (".param") and operation
// codes with their types ("ld.param.u64"); all else is one character a token.
#pragma once

#include <string_view>

namespace kgen {

class PtxTokens {
public:
    explicit PtxTokens(std::string_view text) : text_(text) {}

    // The next token; empty at the end. Comments and strings are left out.
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
