// SPDX-License-Identifier: MIT
#include "signature/name_uses.hpp"

#include <algorithm>
#include <array>

#include "signature/macro_definitions.hpp"
#include "text/word.hpp"

namespace kgen {

bool is_member(TokenSpan tokens, std::size_t at) {
    if (at == 0) return false;
    const std::string_view before = tokens[at - 1].text;
    return before == "." || before == "->" || before == "::";
}

bool ends_operand(const Token& token) {
    if (token.kind == TokenKind::punctuation) return token.text == "]";
    static constexpr auto operators = std::to_array<std::string_view>(
        {"return", "case", "and", "or", "not", "xor", "sizeof", "throw", "else", "do"});
    return !is_one_of(token.text, operators);
}

double function_work(std::string_view name) {
    struct Function {
        std::string_view name;
        double work;
    };
    static constexpr auto functions =
        std::to_array<Function>({{"exp", 1},        {"exp2", 1},    {"exp10", 1},
                                 {"log", 2},        {"log2", 2},    {"kgen_quotient", 0.7},
                                 {"log10", 2},      {"sqrt", 2},    {"rsqrt", 1},
                                 {"expm1", 3},      {"tanh", 3},    {"hypot", 3},
                                 {"log1p", 4},      {"sinh", 4},    {"cosh", 4},
                                 {"sinpi", 4},      {"cospi", 4},   {"sin", 5},
                                 {"cos", 5},        {"acos", 5},    {"asin", 5},
                                 {"atan", 5},       {"atanh", 5},   {"cbrt", 5},
                                 {"erf", 5},        {"tan", 6},     {"acosh", 6},
                                 {"asinh", 6},      {"atan2", 7},   {"sincos", 7},
                                 {"sincospi", 7},   {"erfc", 8},    {"erfinv", 8},
                                 {"erfcinv", 8},    {"erfcx", 8},   {"pow", 9},
                                 {"normcdf", 8},    {"tgamma", 12}, {"lgamma", 15},
                                 {"normcdfinv", 8}, {"j0", 15},     {"j1", 15},
                                 {"y0", 15},        {"y1", 15}});
    const std::string_view base = name.ends_with('f') ? name.substr(0, name.size() - 1) : name;
    for (const Function& function : functions) {
        if (function.name == name || function.name == base) return function.work;
    }
    return 0;
}

double count_work(TokenSpan tokens, double quotient_work) {
    double work = 0;
    for (std::size_t k = 0; k + 1 < tokens.size(); ++k) {
        if (tokens[k].text == "/") work += quotient_work;
        if (tokens[k].kind == TokenKind::identifier && tokens[k + 1].text == "(")
            work += function_work(tokens[k].text);
    }
    return work;
}

bool takes_values(std::string_view name) {
    static constexpr auto functions = std::to_array<std::string_view>(
        {"min",  "max",   "fmin",  "fmax",  "abs",      "fabs",     "fma",     "floor", "ceil",
         "rint", "round", "trunc", "isnan", "isinf",    "isfinite", "signbit", "fmod",  "conj",
         "real", "imag",  "norm",  "arg",   "fdividef", "saturate", "copysign"});
    if (function_work(name) > 0 || is_one_of(name, functions)) return true;
    return name.ends_with('f') && is_one_of(name.substr(0, name.size() - 1), functions);
}

bool is_type_word(std::string_view word, const std::vector<Parameter>& parameters) {
    static constexpr auto words = std::to_array<std::string_view>({"auto",
                                                                   "bool",
                                                                   "char",
                                                                   "const",
                                                                   "double",
                                                                   "float",
                                                                   "int",
                                                                   "long",
                                                                   "short",
                                                                   "signed",
                                                                   "unsigned"});
    if (is_one_of(word, words) || parse_dtype(word)) return true;
    return std::ranges::any_of(parameters, [&](const Parameter& parameter) {
        return word == std::string_view(&parameter.placeholder, 1);
    });
}

namespace {

constexpr std::size_t no_bracket = static_cast<std::size_t>(-1);

// Returns for each ')' the index of the matching '(', and no_bracket for all other tokens.
std::vector<std::size_t> find_opening_brackets(TokenSpan tokens) {
    std::vector<std::size_t> opening(tokens.size(), no_bracket);
    std::vector<std::size_t> open;
    for (std::size_t k = 0; k < tokens.size(); ++k) {
        if (tokens[k].text == "(") open.push_back(k);
        if (tokens[k].text != ")" || open.empty()) continue;
        opening[k] = open.back();
        open.pop_back();
    }
    return opening;
}

// Whether the brackets that close at `close` may be a cast, as in `(float*)&x`, rather than a call or an
// expression, as in `f(x) & m` and `(x >> 3) & m`.
bool may_be_cast(TokenSpan tokens,
                 std::size_t open,
                 std::size_t close,
                 const std::vector<Parameter>& parameters) {
    if (open == no_bracket) return true;
    if (open > 0 && (ends_operand(tokens[open - 1]) || tokens[open - 1].text == ")")) return false;
    if (close == open + 2) {
        for (const Parameter& parameter : parameters) {
            if (parameter.name == tokens[open + 1].text) return false;
        }
    }
    static constexpr auto of_types =
        std::to_array<std::string_view>({"*", "&", "&&", "::", "<", ">", ","});
    for (std::size_t k = open + 1; k < close; ++k) {
        if (tokens[k].kind == TokenKind::identifier) continue;
        if (tokens[k].kind != TokenKind::punctuation || !is_one_of(tokens[k].text, of_types))
            return false;
    }
    return true;
}

// Returns whether the & at index `at` is the address-of operator.
bool takes_address(TokenSpan tokens,
                   const std::vector<std::size_t>& opening,
                   std::size_t at,
                   const std::vector<Parameter>& parameters) {
    if (at == 0) return true;
    const Token& before = tokens[at - 1];
    if (before.text == "[") return false;  // a lambda's capture: a local variable is enough for it
    if (before.text == ")") return may_be_cast(tokens, opening[at - 1], at - 1, parameters);
    return !ends_operand(before);
}

}  // namespace

void collect_uses(TokenSpan tokens, const std::vector<Parameter>& parameters, NameUses& uses) {
    const std::vector<std::size_t> opening = find_opening_brackets(tokens);
    for (std::size_t k = 0; k < tokens.size(); ++k) {
        const Token& token = tokens[k];
        if (token.kind == TokenKind::identifier && !is_member(tokens, k))
            uses.names.insert(token.text);
        if (token.text != "&" && token.text != "bitand") continue;
        if (!takes_address(tokens, opening, k, parameters)) continue;
        std::size_t next = k + 1;
        while (next < tokens.size() && tokens[next].text == "(") ++next;
        if (next < tokens.size() && tokens[next].kind == TokenKind::identifier) {
            uses.addresses.insert(tokens[next].text);
        }
    }
}

void collect_macro_uses(const LexedDefinition& definition,
                        const std::vector<Parameter>& parameters,
                        NameUses& uses) {
    const auto add = [&](TokenSpan replacement) {
        NameUses macro;
        collect_uses(replacement, parameters, macro);
        uses.names.merge(macro.names);
        if (!macro.addresses.empty()) uses.address_of_any = true;
    };
    for (const LexedText& text : definition.texts) {
        for (const MacroDefinition& each : find_macros(text.tokens)) {
            const TokenSpan replacement = replacement_of(text.tokens, each);
            add(replacement);
            if (std::any_of(replacement.begin(), replacement.end(), pastes))
                uses.address_of_any = true;  // it may paste any name
        }
    }
    for (const std::vector<Token>& option : definition.options) add(option);
}

}  // namespace kgen
