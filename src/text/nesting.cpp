// SPDX-License-Identifier: MIT
#include "text/nesting.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "text/word.hpp"

namespace kgen {

namespace {

constexpr std::size_t end_of_text = std::string_view::npos;

// Returns the offset behind a comment or literal that begins at `at`, or `at` if none begins there.
std::size_t behind_hidden(std::string_view text, std::size_t at) noexcept {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("//")) return std::min(text.find('\n', at), text.size());
    if (rest.starts_with("/*")) {
        const std::size_t end = text.find("*/", at + 2);
        return end == end_of_text ? text.size() : end + 2;
    }
    const char quote = rest.front();
    if (quote != '"' && quote != '\'') return at;
    // 1'000
    if (quote == '\'' && at > 0 && is_word(text[at - 1])) return at + 1;
    for (++at; at < text.size() && text[at] != quote && text[at] != '\n'; ++at) {
        if (text[at] == '\\') ++at;
    }
    return std::min(at + 1, text.size());
}

// Number of constructs that are open at a place, within the innermost bracket.
struct Row {
    std::size_t prefixes = 0;  // operators and casts in front of an operand
    std::size_t choices = 0;   // '=' and '?', whose right side extends to the end of the expression
};

// Scans the text once.
class NestingScan {
public:
    NestingScan(std::string_view text, std::size_t deepest) : text_(text), deepest_(deepest) {}

    std::optional<std::size_t> run() {
        for (std::size_t at = 0; at < text_.size();) {
            const std::size_t behind = behind_hidden(text_, at);
            if (behind == at) {
                read(at);
                if (held_ + row_.prefixes + row_.choices > deepest_) return at;
                ++at;
            } else {
                at = behind;
            }
        }
        return std::nullopt;
    }

private:
    void read(std::size_t at) {
        const char letter = text_[at];
        if (std::string_view(" \t\r\n\\").find(letter) != std::string_view::npos) return;
        const bool is_behind_bracket = std::exchange(is_behind_bracket_, false);
        if (letter == '(' || letter == '[' || letter == '{') {
            // A row of casts: (int)(int)x
            if (is_behind_bracket && letter == '(') row_.prefixes = before_bracket_ + 1;
            open(letter);
        } else if (letter == ')' || letter == ']' || letter == '}') {
            close(letter);
        } else if (letter == ';' || letter == ',') {
            row_ = {};
            is_value_ = false;
        } else if (letter == '?' || is_assignment(at)) {
            ++row_.choices;
            is_value_ = false;
        } else if (std::string_view("!~-+*&").find(letter) != std::string_view::npos) {
            row_.prefixes = is_value_ ? 0 : row_.prefixes + 1;
            is_value_ = false;
        } else {
            row_.prefixes = 0;
            is_value_ = is_word(letter);
        }
    }

    void open(char bracket) {
        if (bracket == '{') row_ = {};
        open_.push_back(row_);
        held_ += row_.prefixes + row_.choices + 1;
        row_ = {};
        is_value_ = false;
    }

    void close(char bracket) {
        row_ = {};
        if (!open_.empty()) {
            row_ = open_.back();
            open_.pop_back();
            held_ -= row_.prefixes + row_.choices + 1;
        }
        before_bracket_ = row_.prefixes;
        is_behind_bracket_ = bracket == ')';
        row_.prefixes = 0;
        is_value_ = bracket != '}';
        if (bracket == '}') row_ = {};
    }

    // Whether the character is the '=' of a = b, not part of a == b or a += b, which do not nest in this way.
    bool is_assignment(std::size_t at) const {
        constexpr std::string_view others = "=!<>+-*/%&|^";
        const bool is_alone = at == 0 || others.find(text_[at - 1]) == std::string_view::npos;
        return text_[at] == '=' && is_alone && text_.substr(at + 1, 1) != "=";
    }

    std::string_view text_;
    const std::size_t deepest_;
    std::vector<Row> open_;
    std::size_t held_ = 0;  // levels of all brackets in open_
    Row row_;
    bool is_value_ = false;           // an operand just ended, so an operator would be binary
    bool is_behind_bracket_ = false;  // the last character was ')'
    std::size_t before_bracket_ = 0;  // prefixes before the '(' of that ')'
};

}  // namespace

std::optional<std::size_t> find_deep_nesting(std::string_view text, std::size_t deepest) {
    return NestingScan(text, deepest).run();
}

}  // namespace kgen
