// SPDX-License-Identifier: MIT
#include "signature/body_facts.hpp"

#include <set>
#include <string_view>

#include "signature/token.hpp"

namespace kgen {

namespace {

// Names found in one text: all of them, and those whose address is taken.
struct Uses {
    std::set<std::string_view> names;
    std::set<std::string_view> addresses;
    bool address_of_any = false;  // a macro takes the address of its argument
};

// Whether a value may end with this token, so that an & after it is the binary operator.
bool ends_operand(const Token& token) {
    if (token.kind == TokenKind::punctuation) return token.text == "]";
    static const std::set<std::string_view> operators = {
        "return", "case", "and", "or", "not", "xor", "sizeof", "throw", "else", "do"};
    return operators.count(token.text) == 0;
}

// Whether the brackets that close at `close` may be a cast, `(float*)&x`, rather than a call or an
// expression, `f(x) & m`, `(x >> 3) & m`.
bool may_be_cast(const std::vector<Token>& tokens, std::size_t close, const Signature& signature) {
    std::size_t open = close;
    int depth = 0;
    do {
        if (tokens[open].text == ")") ++depth;
        if (tokens[open].text == "(") --depth;
    } while (depth > 0 && open-- > 0);
    if (depth > 0) return true;
    if (open > 0 && (ends_operand(tokens[open - 1]) || tokens[open - 1].text == ")")) return false;
    if (close == open + 2) {
        for (const Parameter& parameter : signature.parameters) {
            if (parameter.name == tokens[open + 1].text) return false;
        }
    }
    static const std::set<std::string_view> of_types = {"*", "&", "&&", "::", "<", ">", ","};
    for (std::size_t k = open + 1; k < close; ++k) {
        if (tokens[k].kind == TokenKind::identifier) continue;
        if (tokens[k].kind != TokenKind::punctuation || of_types.count(tokens[k].text) == 0)
            return false;
    }
    return true;
}

// Whether the & at `at` takes an address.
bool takes_address(const std::vector<Token>& tokens, std::size_t at, const Signature& signature) {
    if (at == 0) return true;
    const Token& before = tokens[at - 1];
    if (before.text == "[") return false;  // a lambda's capture: the local is what it should see
    if (before.text == ")") return may_be_cast(tokens, at - 1, signature);
    return !ends_operand(before);
}

void collect(const std::vector<Token>& tokens, const Signature& signature, Uses& uses) {
    for (std::size_t k = 0; k < tokens.size(); ++k) {
        const Token& token = tokens[k];
        const bool member = k > 0 && (tokens[k - 1].text == "." || tokens[k - 1].text == "->" ||
                                      tokens[k - 1].text == "::");
        if (token.kind == TokenKind::identifier && !member) uses.names.insert(token.text);
        if (token.text != "&" && token.text != "bitand") continue;
        if (!takes_address(tokens, k, signature)) continue;
        std::size_t next = k + 1;
        while (next < tokens.size() && tokens[next].text == "(") ++next;
        if (next < tokens.size() && tokens[next].kind == TokenKind::identifier) {
            uses.addresses.insert(tokens[next].text);
        }
    }
}

// The tokens of every #define's replacement text, parameters included.
void collect_macros(const std::string& text, const Signature& signature, Uses& uses) {
    const TokenList list = tokenize(text);
    for (std::size_t k = 0; k + 2 < list.tokens.size(); ++k) {
        const bool directive = list.tokens[k].text == "#" || list.tokens[k].text == "%:";
        if (!directive || list.tokens[k + 1].text != "define") continue;
        std::vector<Token> replacement;
        for (std::size_t j = k + 3; j < list.tokens.size() && !list.tokens[j].starts_line; ++j) {
            replacement.push_back(list.tokens[j]);
        }
        Uses macro;
        collect(replacement, signature, macro);
        uses.names.merge(macro.names);
        if (!macro.addresses.empty()) uses.address_of_any = true;
        for (const Token& token : replacement) {
            if (token.text == "##" || token.text == "%:%:")
                uses.address_of_any = true;  // may paste any name
        }
    }
}

// An option may define a macro in several spellings ("-DNAME=x", "-D" "NAME=x",
// "--define-macro=NAME=x"): whatever it mentions may be used.
void collect_options(const std::vector<std::string>& options,
                     const Signature& signature,
                     Uses& uses) {
    for (const std::string& option : options) {
        Uses macro;
        collect(tokenize(option).tokens, signature, macro);
        uses.names.merge(macro.names);
        if (!macro.addresses.empty()) uses.address_of_any = true;
    }
}

// Whether a macro of that name is defined by an option.
bool defines_by_option(const std::vector<std::string>& options, std::string_view name) {
    for (std::string_view option : options) {
        for (const std::string_view spelling : {"--define-macro=", "-D"}) {
            if (option.starts_with(spelling)) {
                option.remove_prefix(spelling.size());
                break;
            }
        }
        if (option.substr(0, option.find('=')) == name) return true;
    }
    return false;
}

// The tokens that stand outside of all brackets and directives.
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

// Whether the text gives `name` a meaning of its own: as a macro, or declared outside of all
// brackets (after a type).
bool defines(const std::string& text, std::string_view name) {
    const TokenList list = tokenize(text);
    for (std::size_t k = 2; k < list.tokens.size(); ++k) {
        if (list.tokens[k].text == name && list.tokens[k - 1].text == "define") return true;
    }
    const std::vector<Token> outer = outer_tokens(list);
    for (std::size_t k = 1; k < outer.size(); ++k) {
        const bool after_type =
            outer[k - 1].kind == TokenKind::identifier && ends_operand(outer[k - 1]);
        if (outer[k].text == name && after_type) return true;
    }
    return false;
}

// Whether what one element computes may depend on what another one left behind: variables of
// loop_prep, of the preamble (a declaration ends with ';' outside of all brackets), or static ones.
bool may_keep_state(const Definition& definition, const TokenList& operation) {
    if (!definition.loop_prep.empty() || !definition.after_loop.empty()) return true;
    for (const Token& token : outer_tokens(tokenize(definition.preamble))) {
        if (token.text == ";") return true;
    }
    for (const Token& token : operation.tokens) {
        if (token.text == "static") return true;
    }
    return definition.preamble.find("static") != std::string::npos;
}

// How often the text names mathematical functions that take tens of instructions: a body of several
// may be bound by its arithmetic.
int count_long_functions(const TokenList& list) {
    static const std::set<std::string_view> functions = {
        "acos",  "acosh", "asin",   "asinh",  "atan",     "atan2",      "atanh",
        "cbrt",  "cos",   "cosh",   "erf",    "erfc",     "erfinv",     "exp",
        "exp10", "exp2",  "expm1",  "lgamma", "log",      "log10",      "log1p",
        "log2",  "pow",   "sin",    "sincos", "sincospi", "sinh",       "sinpi",
        "tan",   "tanh",  "tgamma", "cospi",  "normcdf",  "normcdfinv", "hypot",
        "j0",    "j1",    "y0",     "y1",     "erfcinv",  "erfcx"};
    int count = 0;
    for (const Token& token : list.tokens) {
        if (token.kind != TokenKind::identifier) continue;
        std::string_view name = token.text;
        const bool plain = functions.count(name) != 0;
        if (!plain && name.ends_with('f')) name.remove_suffix(1);
        if (plain || functions.count(name) != 0) ++count;
    }
    return count;
}

}  // namespace

void find_body_facts(const Definition& definition, Signature& signature) {
    Uses uses;
    const TokenList operation = tokenize(definition.operation);
    const TokenList loop_prep = tokenize(definition.loop_prep);
    const TokenList after_loop = tokenize(definition.after_loop);
    for (const TokenList* list : {&operation, &loop_prep, &after_loop})
        collect(list->tokens, signature, uses);
    for (const std::string* text : {&definition.preamble,
                                    &definition.operation,
                                    &definition.loop_prep,
                                    &definition.after_loop}) {
        collect_macros(*text, signature, uses);
    }
    collect_options(definition.options, signature, uses);

    const auto mentions = [&](const std::string& name) { return uses.names.count(name) != 0; };
    const auto is_taken = [&](std::string_view name) {
        for (const Parameter& parameter : signature.parameters) {
            if (parameter.name == name || name == std::string_view(&parameter.placeholder, 1))
                return true;
        }
        // A kernel written without kgen's `n` keeps its own.
        return defines_by_option(definition.options, name) || defines(definition.preamble, name) ||
               defines(definition.loop_prep, name);
    };
    signature.facts.keeps_state = may_keep_state(definition, operation);
    signature.facts.shared_memory = mentions("__shared__") || [&] {
        for (const Token& token : tokenize(definition.preamble).tokens) {
            if (token.text == "__shared__") return true;
        }
        return false;
    }();
    signature.facts.long_functions = count_long_functions(operation);
    signature.facts.token_count = operation.tokens.size();
    signature.facts.index = mentions("i");
    signature.facts.count = mentions("n") && !is_taken("n");
    signature.facts.indexer = mentions("_ind");
    for (Parameter& parameter : signature.parameters) {
        if (parameter.raw) continue;
        parameter.viewed = mentions("_raw_" + parameter.name) || uses.address_of_any;
        parameter.by_reference = parameter.viewed || uses.addresses.count(parameter.name) != 0;
    }
}

}  // namespace kgen
