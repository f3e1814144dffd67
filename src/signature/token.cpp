// SPDX-License-Identifier: MIT
#include "signature/token.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "text/source_cursor.hpp"

namespace kgen {

namespace {

bool continues_identifier(char letter) {
    return is_word_character(letter) || letter == '$';
}

class Tokenizer : SourceCursor {
public:
    explicit Tokenizer(std::string_view text) : SourceCursor(text) {}

    TokenList run() {
        while (list_.errors.empty() && skip_blanks()) read_token();
        return std::move(list_);
    }

private:
    char at(std::size_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }
    bool looking_at(std::string_view what) const { return text_.substr(at_).starts_with(what); }

    void fail(std::size_t begin, std::size_t length, std::string reason) {
        list_.errors.push_back({begin, length, std::move(reason)});
    }

    void add(TokenKind kind, std::size_t begin, std::size_t end) {
        list_.tokens.push_back({kind, text_.substr(begin, end - begin), begin, starts_line_});
        starts_line_ = false;
        at_ = end;
    }

    // Advances to the next token. Returns false at the end of the text or after an error.
    bool skip_blanks() {
        while (at_ < text_.size()) {
            const std::size_t begin = at_;
            const char letter = text_[at_];
            if (letter == '\n' || (is_blank(letter) && letter != '\0')) {
                starts_line_ = starts_line_ || letter == '\n';
                ++at_;
            } else if (letter == '/' && skip_comment()) {
                if (is_closed_) continue;
                fail(begin, 2, "this comment is not closed");
                return false;
            } else if (!skip_joint()) {
                return true;
            }
        }
        return false;
    }

    void read_token() {
        const std::size_t begin = at_;
        const char letter = text_[begin];
        if (letter == '\0') {
            fail(begin, 1, "this byte is NUL");
        } else if (is_digit(letter) || (letter == '.' && is_digit(at(begin + 1)))) {
            read_number(begin);
        } else if (continues_identifier(letter)) {
            std::size_t end = begin;
            while (end < text_.size() && continues_identifier(text_[end])) ++end;
            const std::string_view word = text_.substr(begin, end - begin);
            if (at(end) == '"' && is_raw_prefix(word)) {
                read_raw_string(begin, end);
            } else if ((at(end) == '"' || at(end) == '\'') && is_encoding_prefix(word)) {
                read_quoted(begin, end);
            } else {
                add(TokenKind::identifier, begin, end);
            }
        } else if (letter == '"' || letter == '\'') {
            read_quoted(begin, begin);
        } else {
            read_punctuation(begin);
        }
    }

    static bool is_encoding_prefix(std::string_view word) {
        return word == "L" || word == "u" || word == "U" || word == "u8";
    }

    void read_number(std::size_t begin) {
        std::size_t end = begin;
        while (end < text_.size()) {
            const char letter = text_[end];
            const bool exponent_sign =
                (letter == '+' || letter == '-') && end > begin &&
                std::string_view("eEpP").find(text_[end - 1]) != std::string_view::npos;
            const bool separator = letter == '\'' && continues_identifier(at(end + 1));
            if (!continues_identifier(letter) && letter != '.' && !exponent_sign && !separator)
                break;
            ++end;
        }
        add(TokenKind::number, begin, end);
    }

    void read_quoted(std::size_t begin, std::size_t quote) {
        at_ = quote;
        skip_literal();
        if (is_closed_) return add(TokenKind::literal, begin, at_);
        // A single quote is legal in an #error or under #if 0, so the compiler has to judge.
        if (has_directives_ && at_ < text_.size()) return;
        fail(begin,
             at_ - begin,
             text_[quote] == '"' ? "this string is not closed" : "this character is not closed");
    }

    void read_raw_string(std::size_t begin, std::size_t quote) {
        at_ = quote;
        if (skip_raw_string()) return add(TokenKind::literal, begin, at_);
        fail(begin, quote + 1 - begin, "this string is not closed");
    }

    void read_punctuation(std::size_t begin) {
        static constexpr std::array<std::string_view, 22> longer = {
            "<<=", ">>=", "->*", "...", "%:%:", "&&", "||", "::", "->", "++", "--",
            "+=",  "-=",  "*=",  "/=",  "&=",   "|=", "==", "!=", "<=", ">=", "##"};
        static constexpr std::array<std::string_view, 5> digraphs = {"<%", "%>", "<:", ":>", "%:"};
        for (const std::string_view& text : longer) {
            if (looking_at(text)) return add(TokenKind::punctuation, begin, begin + text.size());
        }
        for (const std::string_view& text : digraphs) {
            // "<::" is '<' '::' unless followed by ':' or '>' (C++ 5.4), as in vector<::T>.
            const bool template_scope =
                looking_at("<::") && !looking_at("<:::") && !looking_at("<::>");
            if (looking_at(text) && !template_scope) {
                return add(TokenKind::punctuation, begin, begin + text.size());
            }
        }
        if (text_[begin] == '#' && starts_line_) has_directives_ = true;
        add(TokenKind::punctuation, begin, begin + 1);
    }

    bool starts_line_ = true;
    bool has_directives_ = false;
    TokenList list_;
};

char plain_bracket(std::string_view text) {
    if (text == "<%") return '{';
    if (text == "%>") return '}';
    if (text == "<:") return '[';
    if (text == ":>") return ']';
    return text.size() == 1 ? text[0] : '\0';
}

// The stack of brackets that are open at the current place of a text. Stacks of different places share their
// common part, so saving a stack copies one number, and comparing two compares their shape().
class OpenBrackets {
public:
    using Place = std::size_t;  // 0 if no bracket is open

    Place place() const { return at_; }
    void go_to(Place place) { at_ = place; }
    bool empty() const { return at_ == 0; }
    const Token& last() const { return *open_[at_].token; }

    void push(const Token& token) {
        const Shape shape{open_[at_].shape, plain_bracket(token.text)};
        const auto [known, is_new] = shapes_.try_emplace(shape, shapes_.size() + 1);
        open_.push_back({&token, at_, known->second});
        at_ = open_.size() - 1;
    }
    void pop() { at_ = open_[at_].around; }
    // Equal for two places if the same kinds of brackets are open.
    std::size_t shape() const { return open_[at_].shape; }

private:
    using Shape = std::pair<std::size_t, char>;  // shape around the bracket, and the bracket
    struct Open {
        const Token* token = nullptr;
        Place around = 0;
        std::size_t shape = 0;
    };
    std::vector<Open> open_ = std::vector<Open>(1);
    std::map<Shape, std::size_t> shapes_;
    Place at_ = 0;
};

}  // namespace

TokenList tokenize(std::string_view text) {
    return Tokenizer(text).run();
}

std::vector<Token> outer_tokens(TokenSpan tokens) {
    std::vector<Token> outer;
    int depth = 0;
    bool directive = false;
    for (const Token& token : tokens) {
        if (token.starts_line) directive = begins_directive(token);
        if (directive) continue;
        if (token.text == "}" || token.text == ")" || token.text == "]") --depth;
        if (depth == 0) outer.push_back(token);
        if (token.text == "{" || token.text == "(" || token.text == "[") ++depth;
    }
    return outer;
}

std::vector<TokenError> find_imbalance(const TokenList& list) {
    if (!list.errors.empty()) return list.errors;
    // An open #if: the brackets that were open before it, and their shape at the end of its earlier branches.
    struct Condition {
        const Token* token;
        OpenBrackets::Place before;
        std::optional<std::size_t> shape;
    };
    OpenBrackets open;
    std::vector<Condition> conditions;
    for (std::size_t k = 0; k < list.tokens.size(); ++k) {
        const Token& token = list.tokens[k];
        if (token.kind != TokenKind::punctuation) continue;
        if (begins_directive(token) && k + 1 < list.tokens.size()) {
            const std::string_view word = list.tokens[k + 1].text;
            if (word == "if" || word == "ifdef" || word == "ifndef") {
                conditions.push_back({&token, open.place(), {}});
            } else if (word == "endif" || word == "else" || word.starts_with("elif")) {
                if (conditions.empty()) {
                    return {{token.offset, 1, "this #" + std::string(word) + " has no #if"}};
                }
                Condition& condition = conditions.back();
                // Only a preprocessor knows which branch is compiled, so the compiler has to judge.
                if (condition.shape.value_or(open.shape()) != open.shape()) return {};
                if (word == "endif") {
                    conditions.pop_back();
                } else {
                    condition.shape = open.shape();
                    open.go_to(condition.before);
                }
            } else if (word == "line") {
                return {{token.offset, 1, "a #line would move the positions of errors"}};
            }
            // A directive may contain an unmatched bracket: #define OPEN (
            while (k + 1 < list.tokens.size() && !list.tokens[k + 1].starts_line) ++k;
            continue;
        }
        const char bracket = plain_bracket(token.text);
        if (bracket == '(' || bracket == '[' || bracket == '{') {
            open.push(token);
        } else if (bracket == ')' || bracket == ']' || bracket == '}') {
            const char expected = bracket == ')' ? '(' : bracket == ']' ? '[' : '{';
            if (open.empty() || plain_bracket(open.last().text) != expected) {
                return {{token.offset,
                         token.text.size(),
                         "this '" + std::string(token.text) + "' closes nothing"}};
            }
            open.pop();
        }
    }
    if (!open.empty()) {
        return {{open.last().offset,
                 open.last().text.size(),
                 "this '" + std::string(open.last().text) + "' is not closed"}};
    }
    if (!conditions.empty())
        return {{conditions.back().token->offset, 1, "this #if has no #endif"}};
    return {};
}

}  // namespace kgen
