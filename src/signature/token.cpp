// SPDX-License-Identifier: MIT
#include "signature/token.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <utility>

namespace kgen {

namespace {

bool starts_identifier(char letter) {
    return std::isalpha(static_cast<unsigned char>(letter)) != 0 || letter == '_' ||
           letter == '$' || static_cast<unsigned char>(letter) >= 0x80;
}

bool continues_identifier(char letter) {
    return starts_identifier(letter) || std::isdigit(static_cast<unsigned char>(letter)) != 0;
}

class Tokenizer {
public:
    explicit Tokenizer(std::string_view text) : text_(text) {}

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
            const char letter = text_[at_];
            if (letter == '\n') {
                starts_line_ = true;
                ++at_;
            } else if (std::isspace(static_cast<unsigned char>(letter)) != 0) {
                ++at_;
            } else if (letter == '\\' && (at(at_ + 1) == '\n' || looking_at("\\\r\n"))) {
                at_ += at(at_ + 1) == '\n' ? 2 : 3;
            } else if (looking_at("//")) {
                skip_line_comment();
            } else if (looking_at("/*")) {
                const std::size_t end = text_.find("*/", at_ + 2);
                if (end == std::string_view::npos) {
                    fail(at_, 2, "this comment is not closed");
                    return false;
                }
                at_ = end + 2;
            } else {
                return true;
            }
        }
        return false;
    }

    void skip_line_comment() {
        while (at_ < text_.size() && text_[at_] != '\n') {
            at_ += text_[at_] == '\\' && at(at_ + 1) == '\n' ? 2 : 1;
        }
    }

    void read_token() {
        const std::size_t begin = at_;
        const char letter = text_[begin];
        if (letter == '\0') {
            fail(begin, 1, "this byte is NUL");
        } else if (starts_identifier(letter)) {
            std::size_t end = begin;
            while (end < text_.size() && continues_identifier(text_[end])) ++end;
            const std::string_view word = text_.substr(begin, end - begin);
            if (at(end) == '"' && !word.empty() && word.back() == 'R') {
                read_raw_string(begin, end);
            } else if ((at(end) == '"' || at(end) == '\'') && is_encoding_prefix(word)) {
                read_quoted(begin, end);
            } else {
                add(TokenKind::identifier, begin, end);
            }
        } else if (std::isdigit(static_cast<unsigned char>(letter)) != 0 ||
                   (letter == '.' &&
                    std::isdigit(static_cast<unsigned char>(at(begin + 1))) != 0)) {
            read_number(begin);
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
        const char closing = text_[quote];
        std::size_t end = quote + 1;
        while (end < text_.size() && text_[end] != closing && text_[end] != '\n') {
            end += text_[end] == '\\' && end + 1 < text_.size() ? 2 : 1;
        }
        if (end >= text_.size() || text_[end] != closing) {
            if (has_directives_ && end < text_.size()) {
                at_ = end;  // legal in an #error or under #if 0, so the compiler has to judge
                return;
            }
            fail(begin,
                 std::min(end, text_.size()) - begin,
                 closing == '"' ? "this string is not closed" : "this character is not closed");
            return;
        }
        add(TokenKind::literal, begin, end + 1);
    }

    void read_raw_string(std::size_t begin, std::size_t quote) {
        const std::size_t open = text_.find('(', quote);
        std::size_t end = std::string_view::npos;
        if (open != std::string_view::npos && open - quote <= 17) {
            const std::string closing =
                ")" + std::string(text_.substr(quote + 1, open - quote - 1)) + "\"";
            end = text_.find(closing, open);
            if (end != std::string_view::npos) end += closing.size();
        }
        if (end == std::string_view::npos) {
            fail(begin, quote + 1 - begin, "this string is not closed");
            return;
        }
        add(TokenKind::literal, begin, end);
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

    std::string_view text_;
    std::size_t at_ = 0;
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

std::vector<Token> outer_tokens(const TokenList& list) {
    std::vector<Token> outer;
    int depth = 0;
    bool directive = false;
    for (const Token& token : list.tokens) {
        if (token.starts_line) directive = token.text == "#" || token.text == "%:";
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
        if ((token.text == "#" || token.text == "%:") && token.starts_line &&
            k + 1 < list.tokens.size()) {
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
