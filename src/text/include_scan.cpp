// SPDX-License-Identifier: MIT
#include "text/include_scan.hpp"

#include <algorithm>
#include <array>

namespace kgen {

namespace {

bool is_word_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0;
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_word_character(char c) {
    return is_word_start(c) || is_digit(c);
}
bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

// What begins with a letter before a quote: R"(...)".
bool is_raw_prefix(std::string_view word) {
    static constexpr std::array<std::string_view, 5> prefixes = {"R", "u8R", "uR", "UR", "LR"};
    return std::find(prefixes.begin(), prefixes.end(), word) != prefixes.end();
}

// Characters at which something may begin or end; all others are passed over.
constexpr std::array<bool, 256> make_marks() {
    std::array<bool, 256> marks{};
    for (const char c : {'\n', '/', '"', '\'', '\\'}) marks[static_cast<unsigned char>(c)] = true;
    return marks;
}
constexpr std::array<bool, 256> marks = make_marks();

// One pass over the text, with a preprocessor's view of it: comments, literals and joined lines.
class IncludeScan {
public:
    explicit IncludeScan(std::string_view text) : text_(text) {}

    std::vector<IncludeUse> run() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '\n') {
                end_line();
            } else if ((c == '/' && skip_comment()) || (c == '\\' && skip_joint())) {
                // A directive may stand behind them.
            } else if (starts_line_ && is_blank(c)) {
                ++at_;
            } else if (starts_line_ && (c == '#' || text_.substr(at_, 2) == "%:")) {
                read_directive();
            } else {
                starts_line_ = false;
                read_token();
            }
        }
        return std::move(uses_);
    }

private:
    enum class Line : std::uint8_t { code, condition, definition };

    char current() const { return at_ < text_.size() ? text_[at_] : '\n'; }

    void end_line() {
        ++at_;
        starts_line_ = true;
        line_ = Line::code;
    }

    // A backslash that ends a line: it and its line break do not exist for the compiler.
    bool skip_joint() {
        if (current() != '\\') return false;
        if (text_.substr(at_, 2) == "\\\n") {
            at_ += 2;
            return true;
        }
        if (text_.substr(at_, 3) == "\\\r\n") {
            at_ += 3;
            return true;
        }
        return false;
    }
    void skip_joints() {
        while (skip_joint()) {
        }
    }

    bool skip_comment() {
        const std::size_t start = at_++;
        skip_joints();
        if (current() == '/') {
            skip_line();
            return true;
        }
        if (current() != '*') {
            at_ = start;
            return false;
        }
        ++at_;
        while (true) {
            at_ = std::min(text_.find('*', at_), text_.size());
            if (at_ == text_.size()) return true;
            ++at_;
            skip_joints();
            if (current() != '/') continue;
            ++at_;
            return true;
        }
    }

    // To the line break that no backslash takes away.
    void skip_line() {
        while (true) {
            at_ = std::min(text_.find('\n', at_), text_.size());
            std::size_t before = at_;
            if (before > 0 && text_[before - 1] == '\r') --before;
            if (at_ == text_.size() || before == 0 || text_[before - 1] != '\\') return;
            ++at_;
        }
    }

    // Blanks, comments and joined lines, within a line.
    void skip_blanks() {
        while (at_ < text_.size()) {
            if (is_blank(text_[at_])) {
                ++at_;
            } else if (!skip_joint() && !(text_[at_] == '/' && skip_comment())) {
                return;
            }
        }
    }

    std::string read_word() {
        std::string word;
        for (skip_joints(); at_ < text_.size() && is_word_character(text_[at_]); skip_joints()) {
            word += text_[at_++];
        }
        return word;
    }

    void read_directive() {
        const std::size_t start = at_;
        at_ += text_[at_] == '#' ? 1 : 2;
        starts_line_ = false;
        skip_blanks();
        const std::string word = read_word();
        if (word == "include") {
            skip_blanks();
            if (!read_name()) add_unknown(start);
        } else if (word == "include_next" || word == "import" || word == "embed") {
            add_unknown(start);
        } else if (word == "if" || word == "elif") {
            line_ = Line::condition;
        } else if (word == "define") {
            line_ = Line::definition;
            read_macro();
        }
    }

    // The parameters of a macro like a function.
    void read_macro() {
        macro_parameters_.clear();
        skip_blanks();
        read_word();
        if (current() != '(') return;
        ++at_;
        while (at_ < text_.size() && current() != ')' && current() != '\n') {
            skip_blanks();
            std::string parameter = read_word();
            if (parameter.empty()) {
                if (current() != ')' && current() != '\n') ++at_;
            } else {
                macro_parameters_.push_back(std::move(parameter));
            }
        }
    }

    // <x.h> or "x.h"; leaves the place where it is if there is none.
    bool read_name() {
        const std::size_t start = at_;
        const char open = current();
        if (open != '<' && open != '"') return false;
        const char close = open == '<' ? '>' : '"';
        std::string name;
        ++at_;
        for (skip_joints(); current() != close; skip_joints()) {
            if (current() == '\n') {
                at_ = start;
                return false;
            }
            name += text_[at_++];
        }
        ++at_;
        uses_.push_back({open == '<' ? IncludeForm::angled : IncludeForm::quoted,
                         std::move(name),
                         start,
                         at_ - start});
        return true;
    }

    void add_unknown(std::size_t start) {
        uses_.push_back({IncludeForm::unknown, {}, start, at_ - start});
    }

    void read_token() {
        const char c = text_[at_];
        if (c == '"' || c == '\'') {
            skip_quoted(c);
        } else if (line_ != Line::code && is_word_start(c)) {
            read_probe();
        } else {
            ++at_;
            if (line_ != Line::code) return;
            while (at_ < text_.size() && !marks[static_cast<unsigned char>(text_[at_])]) ++at_;
        }
    }

    // What a quote begins, by what stands before it: the rest of 1'000, R"(...)", or a literal.
    void skip_quoted(char quote) {
        std::size_t start = at_;
        while (start > 0 && (is_word_character(text_[start - 1]) || text_[start - 1] == '\''))
            --start;
        const std::string_view before = text_.substr(start, at_ - start);
        if (quote == '\'' && !before.empty() && is_digit(before.front())) {
            ++at_;
        } else if (quote == '"' && is_raw_prefix(before)) {
            skip_raw_string();
        } else {
            skip_literal(quote);
        }
    }

    // A word in an #if or #define.
    void read_probe() {
        const std::size_t start = at_;
        const std::string word = read_word();
        const bool probes = word == "__has_include";
        const bool is_strange = word == "__has_include_next" || word == "__has_embed";
        if (!probes && !is_strange && line_ == Line::definition) return;
        skip_blanks();
        if (current() != '(') return;  // #if defined(__has_include)
        ++at_;
        skip_blanks();
        if (is_strange) return add_unknown(start);
        if (read_name() || !probes) return;
        // A parameter's name is looked for where the macro is used.
        const std::size_t argument = at_;
        const std::string parameter = read_word();
        const bool is_parameter =
            line_ == Line::definition &&
            std::find(macro_parameters_.begin(), macro_parameters_.end(), parameter) !=
                macro_parameters_.end();
        at_ = argument;
        if (!is_parameter) add_unknown(start);
    }

    // To its closing quote, or to the end of the line: text that an #if skips may hold a lone quote.
    void skip_literal(char quote) {
        ++at_;
        while (at_ < text_.size() && text_[at_] != '\n') {
            if (skip_joint()) continue;
            const char c = text_[at_++];
            if (c == quote) return;
            if (c == '\\' && at_ < text_.size() && text_[at_] != '\n') ++at_;
        }
    }

    void skip_raw_string() {
        constexpr std::size_t longest_delimiter = 16;
        const std::size_t open = text_.find_first_of("( )\\\n\"", at_ + 1);
        if (open < text_.size() && text_[open] == '(' && open - at_ - 1 <= longest_delimiter) {
            const std::string end = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
            const std::size_t close = text_.find(end, open);
            if (close != std::string_view::npos) {
                at_ = close + end.size();
                return;
            }
        }
        skip_literal('"');  // none that a compiler would accept
    }

    std::string_view text_;
    std::size_t at_ = 0;
    bool starts_line_ = true;
    Line line_ = Line::code;
    std::vector<std::string> macro_parameters_;
    std::vector<IncludeUse> uses_;
};

}  // namespace

std::vector<IncludeUse> find_includes(std::string_view text) {
    return IncludeScan(text).run();
}

}  // namespace kgen
