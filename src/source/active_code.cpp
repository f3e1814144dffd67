// SPDX-License-Identifier: MIT
#include "source/active_code.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>

namespace kgen {

namespace {

using Value = std::optional<long long>;  // nothing: not known

struct Macro {
    bool is_defined = true;
    Value value;
};
using Macros = std::map<std::string, Macro, std::less<>>;

Value number_of(std::string_view text) {
    while (!text.empty() && std::string_view("uUlL").find(text.back()) != std::string_view::npos)
        text.remove_suffix(1);
    int base = 10;
    if (text.starts_with("0x") || text.starts_with("0X")) {
        base = 16;
        text.remove_prefix(2);
    } else if (text.size() > 1 && text.front() == '0') {
        base = 8;
    }
    long long number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

// A condition of #if. Unknown parts make the whole unknown only where they decide it.
class Condition {
public:
    Condition(const Token* begin, const Token* end, const Macros& macros, bool includes)
        : at_(begin), end_(end), macros_(macros), includes_(includes) {}

    Value evaluate() {
        const Value result = binary(0);
        return at_ == end_ && is_readable_ ? result : std::nullopt;
    }
    // Whether the macro is defined.
    static Value is_defined(std::string_view name, const Macros& macros, bool includes) {
        const auto found = macros.find(name);
        if (found != macros.end()) return found->second.is_defined ? 1 : 0;
        if (includes || name.starts_with("__")) return std::nullopt;
        return 0;
    }

private:
    bool take(std::string_view text) {
        if (at_ == end_ || at_->text != text) return false;
        ++at_;
        return true;
    }

    Value primary() {
        if (at_ == end_) return unreadable();
        if (take("!")) {
            const Value x = primary();
            return x ? Value(*x == 0 ? 1 : 0) : x;
        }
        if (take("-")) {
            const Value x = primary();
            return x ? Value(-*x) : x;
        }
        if (take("(")) {
            const Value x = binary(0);
            return take(")") ? x : unreadable();
        }
        const Token& token = *at_++;
        if (token.kind == TokenKind::number) return number_of(token.text);
        if (token.kind != TokenKind::identifier) return unreadable();
        if (token.text == "defined") {
            const bool bracket = take("(");
            if (at_ == end_) return unreadable();
            const Value x = is_defined((at_++)->text, macros_, includes_);
            return !bracket || take(")") ? x : unreadable();
        }
        if (at_ != end_ && at_->text == "(") return unreadable();  // a macro with arguments
        const auto found = macros_.find(token.text);
        if (found != macros_.end())
            return found->second.is_defined ? found->second.value : Value(0);
        return is_defined(token.text, macros_, includes_);  // 0 or unknown
    }

    struct Operator {
        std::string_view text;
        int precedence;
    };
    // The tokenizer reads "<" "=" as "<=".
    static constexpr std::array operators = {Operator{"||", 1},
                                             Operator{"&&", 2},
                                             Operator{"==", 3},
                                             Operator{"!=", 3},
                                             Operator{"<=", 4},
                                             Operator{">=", 4},
                                             Operator{"<", 4},
                                             Operator{">", 4},
                                             Operator{"+", 5},
                                             Operator{"-", 5},
                                             Operator{"*", 6},
                                             Operator{"/", 6},
                                             Operator{"%", 6}};

    Value binary(int least) {
        Value left = primary();
        while (at_ != end_) {
            const auto* found = std::find_if(operators.begin(), operators.end(), [&](auto each) {
                return each.text == at_->text && each.precedence > least;
            });
            if (found == operators.end()) return left;
            ++at_;
            left = apply(found->text, left, binary(found->precedence));
        }
        return left;
    }

    static Value apply(std::string_view op, Value left, Value right) {
        if (op == "&&") {
            if ((left && *left == 0) || (right && *right == 0)) return 0;
            return left && right ? Value(1) : std::nullopt;
        }
        if (op == "||") {
            if ((left && *left != 0) || (right && *right != 0)) return 1;
            return left && right ? Value(0) : std::nullopt;
        }
        if (!left || !right) return std::nullopt;
        const long long a = *left;
        const long long b = *right;
        if (op == "==") return a == b;
        if (op == "!=") return a != b;
        if (op == "<=") return a <= b;
        if (op == ">=") return a >= b;
        if (op == "<") return a < b;
        if (op == ">") return a > b;
        if (op == "+") return a + b;
        if (op == "-") return a - b;
        if (op == "*") return a * b;
        if (b == 0) return std::nullopt;
        return op == "/" ? a / b : a % b;
    }

    Value unreadable() {
        is_readable_ = false;
        at_ = end_;
        return std::nullopt;
    }

    const Token* at_;
    const Token* end_;
    const Macros& macros_;
    bool includes_;
    bool is_readable_ = true;
};

// An #if that is open: whether a branch of it is taken for certain, and what stands around it.
struct Branch {
    bool outer_skipped;
    bool outer_unsure;
    bool is_taken = false;  // for certain
    bool may_be_taken = false;
};

class Preprocessor {
public:
    Preprocessor(const std::vector<Token>& tokens, TextPlace place, Macros macros)
        : tokens_(tokens),
          macros_(std::move(macros)),
          uses_(tokens.size(), TokenUse::code),
          includes_(place == TextPlace::header) {}

    std::vector<TokenUse> run() {
        for (std::size_t k = 0; k < tokens_.size();) {
            const bool directive =
                tokens_[k].starts_line && (tokens_[k].text == "#" || tokens_[k].text == "%:");
            std::size_t end = k + 1;
            while (directive && end < tokens_.size() && !tokens_[end].starts_line) ++end;
            if (directive) read_directive(k, end);
            const TokenUse use = directive ? TokenUse::directive : TokenUse::code;
            std::fill(uses_.begin() + static_cast<std::ptrdiff_t>(k),
                      uses_.begin() + static_cast<std::ptrdiff_t>(end),
                      skipped_ ? TokenUse::skipped : use);
            k = end;
        }
        return std::move(uses_);
    }

private:
    void read_directive(std::size_t begin, std::size_t end) {
        if (begin + 1 >= end) return;
        const std::string_view word = tokens_[begin + 1].text;
        const Token* from = tokens_.data() + begin + 2;
        const Token* to = tokens_.data() + end;
        if (word == "if" || word == "ifdef" || word == "ifndef") {
            open_.push_back({skipped_, unsure_});
            enter(condition(word, from, to));
        } else if (word == "elif" && !open_.empty()) {
            leave();
            enter(open_.back().is_taken ? Value(0) : condition("if", from, to));
        } else if (word == "else" && !open_.empty()) {
            leave();
            enter(open_.back().is_taken ? 0 : 1);
        } else if (word == "endif" && !open_.empty()) {
            leave();
            open_.pop_back();
        } else if (!skipped_ && from != to) {
            change_macro(word, from, to);
        }
    }

    Value condition(std::string_view word, const Token* from, const Token* to) const {
        if (word == "if") return Condition(from, to, macros_, includes_).evaluate();
        if (from == to) return std::nullopt;
        const Value defined = Condition::is_defined(from->text, macros_, includes_);
        if (!defined || word == "ifdef") return defined;
        return 1 - *defined;
    }
    void enter(Value condition) {
        Branch& branch = open_.back();
        if (!condition || (*condition != 0 && branch.may_be_taken)) unsure_ = true;
        if (!condition) branch.may_be_taken = true;
        if (condition && *condition != 0) branch.is_taken = true;
        if (condition && *condition == 0) skipped_ = true;
    }
    void leave() {
        skipped_ = open_.back().outer_skipped;
        unsure_ = open_.back().outer_unsure;
    }

    void change_macro(std::string_view word, const Token* from, const Token* to) {
        if (word == "include" || word == "import" || word == "embed") {
            includes_ = true;
        } else if (word == "define" || word == "undef") {
            Macro macro{word == "define", std::nullopt};
            if (to - from == 2) macro.value = number_of(from[1].text);
            if (unsure_) {
                // Perhaps it is defined: as if a header might have done it.
                macros_.erase(std::string(from->text));
                includes_ = true;
            } else {
                macros_[std::string(from->text)] = macro;
            }
        }
    }

    const std::vector<Token>& tokens_;
    Macros macros_;
    std::vector<TokenUse> uses_;
    std::vector<Branch> open_;
    bool skipped_ = false;
    bool unsure_ = false;  // within a branch of which nobody knows
    bool includes_;        // a name that is not known may be defined
};

}  // namespace

std::vector<MacroOption> macro_options(const std::vector<std::string>& options) {
    struct Spelling {
        std::string_view text;
        bool defines;
        bool takes_next;
    };
    static constexpr std::array spellings = {Spelling{"--define-macro=", true, false},
                                             Spelling{"--undefine-macro=", false, false},
                                             Spelling{"-D", true, true},
                                             Spelling{"-U", false, true}};
    std::vector<MacroOption> macros;
    for (std::size_t k = 0; k < options.size(); ++k) {
        for (const Spelling& spelling : spellings) {
            std::string_view text = options[k];
            if (!text.starts_with(spelling.text)) continue;
            text.remove_prefix(spelling.text.size());
            if (text.empty() && spelling.takes_next && k + 1 < options.size()) text = options[++k];
            const std::size_t equals = text.find('=');
            const std::string_view head = text.substr(0, equals);
            const std::size_t bracket = std::min(head.find('('), head.size());
            macros.push_back(
                {.name = std::string(head.substr(0, bracket)),
                 .value =
                     equals == std::string_view::npos ? "1" : std::string(text.substr(equals + 1)),
                 .parameters = std::string(head.substr(bracket)),
                 .is_defined = spelling.defines});
            break;
        }
    }
    return macros;
}

std::vector<TokenUse> find_active(const TokenList& tokens,
                                  TextPlace place,
                                  const std::vector<std::string>& options,
                                  const std::vector<std::string>& predefined) {
    Macros macros;
    const auto add = [&](const std::vector<std::string>& words) {
        for (const MacroOption& each : macro_options(words)) {
            macros[each.name] = {each.is_defined,
                                 each.is_defined ? number_of(each.value) : Value()};
        }
    };
    std::vector<std::string> own;
    for (const std::string& each : predefined) own.push_back("-D" + each);
    add(own);
    add(options);
    return Preprocessor(tokens.tokens, place, std::move(macros)).run();
}

}  // namespace kgen
