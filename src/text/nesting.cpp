// SPDX-License-Identifier: MIT
#include "text/nesting.hpp"

#include <utility>
#include <vector>

#include "text/source_cursor.hpp"

namespace kgen {

namespace {

// Number of constructs that are open at a place, within the innermost bracket.
struct Row {
    std::size_t prefixes = 0;  // operators and casts in front of an operand
    std::size_t choices = 0;   // '=' and '?', whose right side extends to the end of the expression
};

// Scans the text once.
class NestingScan : SourceCursor {
public:
    NestingScan(std::string_view text, std::size_t deepest)
        : SourceCursor(text), deepest_(deepest) {}

    std::optional<std::size_t> run() {
        while (at_ < text_.size()) {
            const char letter = text_[at_];
            if (letter == '\'' && at_ > 0 && is_word(text_[at_ - 1])) {
                ++at_;  // 1'000
            } else if (letter == '"' || letter == '\'') {
                // A raw string is read line by line, because old standards have none.
                skip_literal();
            } else if (letter != '/' || !skip_comment()) {
                read(at_);
                if (held_ + row_.prefixes + row_.choices > deepest_) return at_;
                ++at_;
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
