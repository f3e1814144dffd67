// SPDX-License-Identifier: MIT
#include "signature/active_code.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

namespace kgen {

namespace {

// An intmax_t or uintmax_t of the preprocessor (C++ 15.2): signed overflow wraps.
struct Number {
    std::uint64_t bits = 0;
    bool is_unsigned = false;
};
using Value = std::optional<Number>;  // nothing if unknown

constexpr Value truth(bool value) {
    return Number{value ? 1U : 0U, false};
}

struct Macro {
    bool is_defined = true;
    Value value;
};
using Macros = std::map<std::string, Macro, std::less<>>;

Value number_of(std::string_view text) {
    Number number;
    const std::size_t digits = text.find_last_not_of("uUlL") + 1;
    number.is_unsigned = text.find_first_of("uU", digits) != std::string_view::npos;
    text = text.substr(0, digits);
    int base = 10;
    if (text.starts_with("0x") || text.starts_with("0X")) {
        base = 16;
        text.remove_prefix(2);
    } else if (text.size() > 1 && text.front() == '0') {
        base = 8;
    }
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), number.bits, base);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    if (number.bits > std::uint64_t{INT64_MAX}) number.is_unsigned = true;
    return number;
}

// Evaluates the condition of an #if. The result is unknown if it depends on an unknown part, or if the
// condition is nested deeper than `deepest`.
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
        if (found != macros.end()) return truth(found->second.is_defined);
        if (includes || name.starts_with("__")) return std::nullopt;
        return truth(false);
    }

private:
    bool take(std::string_view text) {
        if (at_ == end_ || at_->text != text) return false;
        ++at_;
        return true;
    }

    Value primary() {
        if (at_ == end_ || depth_ == deepest) return unreadable();
        ++depth_;
        const Value value = operand();
        --depth_;
        return value;
    }

    Value operand() {
        if (take("!")) {
            const Value x = primary();
            return x ? truth(x->bits == 0) : x;
        }
        if (take("-")) {
            const Value x = primary();
            return x ? Value({0 - x->bits, x->is_unsigned}) : x;
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
        if (token.text == "true" || token.text == "false") return truth(token.text == "true");
        if (at_ != end_ && at_->text == "(") return unreadable();  // a function-like macro
        const auto found = macros_.find(token.text);
        if (found != macros_.end())
            return found->second.is_defined ? found->second.value : truth(false);
        return is_defined(token.text, macros_, includes_);  // 0 if undefined, else unknown
    }

    struct Operator {
        std::string_view text;
        int precedence;
    };
    // The tokenizer gives "<=" as one token.
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
            if ((left && left->bits == 0) || (right && right->bits == 0)) return truth(false);
            return left && right ? truth(true) : std::nullopt;
        }
        if (op == "||") {
            if ((left && left->bits != 0) || (right && right->bits != 0)) return truth(true);
            return left && right ? truth(false) : std::nullopt;
        }
        if (!left || !right) return std::nullopt;
        const std::uint64_t a = left->bits;
        const std::uint64_t b = right->bits;
        const bool is_unsigned = left->is_unsigned || right->is_unsigned;
        if (op == "==") return truth(a == b);
        if (op == "!=") return truth(a != b);
        if (op == "+") return Number{a + b, is_unsigned};
        if (op == "-") return Number{a - b, is_unsigned};
        if (op == "*") return Number{a * b, is_unsigned};
        const bool less = is_unsigned ? a < b : as_signed(a) < as_signed(b);
        if (op == "<") return truth(less);
        if (op == ">=") return truth(!less);
        if (op == "<=") return truth(less || a == b);
        if (op == ">") return truth(!less && a != b);
        if (b == 0) return std::nullopt;
        return divide(op == "/", a, b, is_unsigned);
    }

    static Value divide(bool is_quotient, std::uint64_t a, std::uint64_t b, bool is_unsigned) {
        if (is_unsigned) return Number{is_quotient ? a / b : a % b, true};
        // The smallest number divided by -1 wraps to itself.
        if (as_signed(b) == -1) return Number{is_quotient ? 0 - a : 0, false};
        const std::int64_t result =
            is_quotient ? as_signed(a) / as_signed(b) : as_signed(a) % as_signed(b);
        return Number{static_cast<std::uint64_t>(result), false};
    }
    static std::int64_t as_signed(std::uint64_t bits) { return static_cast<std::int64_t>(bits); }

    Value unreadable() {
        is_readable_ = false;
        at_ = end_;
        return std::nullopt;
    }

    static constexpr int deepest = 256;

    const Token* at_;
    const Token* end_;
    int depth_ = 0;
    const Macros& macros_;
    bool includes_;
    bool is_readable_ = true;
};

// An open #if: the state outside of it, and whether one of its branches so far is taken.
struct Branch {
    bool outer_skipped;
    bool outer_unsure;
    bool is_taken = false;  // certainly
    bool may_be_taken = false;
};

class Preprocessor {
public:
    Preprocessor(TokenSpan tokens, TextPlace place, Macros macros)
        : tokens_(tokens),
          macros_(std::move(macros)),
          uses_(tokens.size(), TokenUse::code),
          includes_(place == TextPlace::header) {}

    std::vector<TokenUse> run() {
        for (std::size_t k = 0; k < tokens_.size();) {
            const bool directive = begins_directive(tokens_[k]);
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
        } else if (word.starts_with("elif") && !open_.empty()) {
            // Only newer compilers know #elifdef and #elifndef, so their result is unknown.
            leave();
            enter(open_.back().is_taken ? truth(false)
                  : word == "elif"      ? condition("if", from, to)
                                        : std::nullopt);
        } else if (word == "else" && !open_.empty()) {
            leave();
            enter(truth(!open_.back().is_taken));
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
        return truth(defined->bits == 0);
    }
    void enter(Value condition) {
        Branch& branch = open_.back();
        if (!condition || (condition->bits != 0 && branch.may_be_taken)) unsure_ = true;
        if (!condition) branch.may_be_taken = true;
        if (condition && condition->bits != 0) branch.is_taken = true;
        if (condition && condition->bits == 0) skipped_ = true;
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
                // The macro may be defined or not, as if a header might define it.
                macros_.erase(std::string(from->text));
                includes_ = true;
            } else {
                macros_[std::string(from->text)] = macro;
            }
        }
    }

    TokenSpan tokens_;
    Macros macros_;
    std::vector<TokenUse> uses_;
    std::vector<Branch> open_;
    bool skipped_ = false;
    bool unsure_ = false;  // in a branch that may be taken or not
    bool includes_;        // an included file may define any macro
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
            macros.push_back({.name = std::string(head.substr(0, bracket)),
                              .value = equals == std::string_view::npos
                                           ? "1"
                                           : std::string(text.substr(equals + 1)),
                              .parameters = std::string(head.substr(bracket)),
                              .is_defined = spelling.defines});
            break;
        }
    }
    return macros;
}

std::vector<TokenUse> find_active(TokenSpan tokens,
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
    return Preprocessor(tokens, place, std::move(macros)).run();
}

}  // namespace kgen
