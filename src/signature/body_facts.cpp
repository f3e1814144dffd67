// SPDX-License-Identifier: MIT
#include "signature/body_facts.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "signature/active_code.hpp"
#include "signature/name_uses.hpp"
#include "signature/random_names.hpp"
#include "text/word.hpp"

namespace kgen {

namespace {

// Whether an option defines the name as a macro without arguments.
bool defines_by_option(const std::vector<std::string>& options, std::string_view name) {
    const std::vector<MacroOption> macros = macro_options(options);
    return std::any_of(macros.begin(), macros.end(), [&](const MacroOption& each) {
        return each.is_defined && each.name == name && each.parameters.empty();
    });
}

// Whether the text defines `name`, as a macro or by a declaration (after a type) outside of all brackets.
bool defines(const std::vector<Token>& tokens, std::string_view name) {
    for (std::size_t k = 2; k < tokens.size(); ++k) {
        if (tokens[k].text == name && tokens[k - 1].text == "define") return true;
    }
    const std::vector<Token> outer = outer_tokens(tokens);
    for (std::size_t k = 1; k < outer.size(); ++k) {
        const bool after_type =
            outer[k - 1].kind == TokenKind::identifier && ends_operand(outer[k - 1]);
        if (outer[k].text == name && after_type) return true;
    }
    return false;
}

bool has(const std::vector<Token>& tokens, std::string_view text) {
    return std::any_of(
        tokens.begin(), tokens.end(), [&](const Token& token) { return token.text == text; });
}

// Whether an element's result may depend on state that another element left: variables of loop_prep, of the
// preamble (which has a ';' outside of all brackets if it declares one), or static variables.
bool may_keep_state(const LexedDefinition& lexed, const NameUses& uses) {
    const Definition& definition = lexed.definition;
    return !definition.loop_prep.empty() || !definition.after_loop.empty() ||
           has(outer_tokens(lexed.tokens_of(definition.preamble)), ";") ||
           uses.mentions("static") || definition.preamble.find("static") != std::string::npos;
}

// Whether the tokens call a mathematical function that takes at least as long as exp.
bool calls_function(const std::vector<Token>& tokens) {
    for (std::size_t k = 0; k + 1 < tokens.size(); ++k) {
        if (tokens[k].kind == TokenKind::identifier && tokens[k + 1].text == "(" &&
            function_work(tokens[k].text) >= 1)
            return true;
    }
    return false;
}

// Whether the tokens behind number `at` are those of `pattern`. '#' stands for a decimal number from 1 on.
bool continues(const std::vector<Token>& tokens,
               std::size_t at,
               std::initializer_list<std::string_view> pattern) {
    for (const std::string_view expected : pattern) {
        if (++at >= tokens.size()) return false;
        const std::string_view text = tokens[at].text;
        const bool is_number = !text.empty() && text[0] != '0' && text.size() < 10 &&
                               std::all_of(text.begin(), text.end(), is_digit);
        if (expected == "#" ? !is_number : text != expected) return false;
    }
    return true;
}

// Whether every use of `i` is a remainder by a number, and every use of `_ind` that of a coordinate.
bool only_wraps_index(const LexedDefinition& lexed, const NameUses& macros) {
    for (const LexedText& each : lexed.texts) {
        for (std::size_t k = 0; k < each.tokens.size(); ++k) {
            const std::string_view text = each.tokens[k].text;
            if (text == "i" && !continues(each.tokens, k, {"%", "#"})) return false;
            if (text != "_ind") continue;
            const auto wraps = [&](std::string_view axis) {
                return continues(each.tokens, k, {".", "get", "(", ")", "[", axis, "]", "%", "#"});
            };
            if (!wraps("0") && !wraps("#")) return false;
        }
    }
    return !macros.mentions("i") && !macros.mentions("_ind");
}

// Whether every use of `i` is the second argument of a function of random numbers, or a capture of it.
bool only_draws(const LexedDefinition& lexed, const NameUses& macros) {
    const auto is_argument = [](const std::vector<Token>& tokens, std::size_t k) {
        if (k + 1 >= tokens.size() || k < 4) return false;
        const std::string_view before = tokens[k - 1].text, after = tokens[k + 1].text;
        if (before == "[" && after == "]") return !ends_operand(tokens[k - 2]);
        if (before != "," || (after != "," && after != ")")) return false;
        int depth = 0;
        int commas = 0;
        std::size_t at = k - 1;
        for (; at > 0 && depth >= 0; --at) {
            const std::string_view text = tokens[at].text;
            if (text == ")") ++depth;
            if (text == "(") --depth;
            if (text == "," && depth == 0) ++commas;
        }
        if (depth >= 0 || commas != 1) return false;
        if (tokens[at].text == ">") {  // the dtype
            while (at > 0 && tokens[at].text != "<") --at;
            if (at > 0) --at;
        }
        return is_random_name(tokens[at].text);
    };
    for (const LexedText& each : lexed.texts) {
        for (std::size_t k = 0; k < each.tokens.size(); ++k) {
            if (each.tokens[k].text == "i" && !is_argument(each.tokens, k)) return false;
        }
    }
    return !macros.mentions("i");
}

// Whether texts use a raw parameter only as `name[` and, at least once, as `% name.size()`. A macro may use it in
// other ways.
bool only_wraps(const LexedDefinition& lexed, const NameUses& macros, std::string_view name) {
    bool wraps = false;
    for (const LexedText& each : lexed.texts) {
        const std::vector<Token>& tokens = each.tokens;
        for (std::size_t k = 0; k < tokens.size(); ++k) {
            if (tokens[k].text != name) continue;
            if (continues(tokens, k, {"["})) continue;
            if (k == 0 || tokens[k - 1].text != "%") return false;
            if (!continues(tokens, k, {".", "size", "(", ")"})) return false;
            wraps = true;
        }
    }
    return wraps && !macros.mentions(name);
}

}  // namespace

void find_body_facts(const LexedDefinition& lexed, Signature& signature) {
    const Definition& definition = lexed.definition;
    const std::vector<Parameter>& parameters = signature.parameters;
    const std::vector<Token>& preamble = lexed.tokens_of(definition.preamble);
    NameUses uses;
    for (const LexedText& each : lexed.texts) {
        if (each.text != &definition.preamble) collect_uses(each.tokens, parameters, uses);
    }
    NameUses macros;
    collect_macro_uses(lexed, parameters, macros);
    uses.names.insert(macros.names.begin(), macros.names.end());
    uses.address_of_any = uses.address_of_any || macros.address_of_any;

    const auto is_taken = [&](std::string_view name) {
        for (const Parameter& parameter : parameters) {
            if (parameter.name == name || name == std::string_view(&parameter.placeholder, 1))
                return true;
        }
        // The user's own definition of the name takes precedence over kgen's `n`.
        return defines_by_option(definition.options, name) || defines(preamble, name) ||
               defines(lexed.tokens_of(definition.loop_prep), name);
    };
    BodyFacts& facts = signature.facts;
    facts.keeps_state = may_keep_state(lexed, uses);
    facts.draws = std::any_of(random_names.begin(), random_names.end(), [&](std::string_view name) {
        return uses.mentions(name);
    });
    facts.shared_memory = uses.mentions("__shared__") || has(preamble, "__shared__");
    const auto count = [&](const std::string& text, double quotient_work) {
        facts.work += count_work(lexed.tokens_of(text), quotient_work);
        facts.token_count += lexed.tokens_of(text).size();
        // A conversion to such a type takes three tokens and no instruction.
        for (const Token& token : lexed.tokens_of(text))
            if (token.text.starts_with(wrapping_prefix)) facts.token_count -= 3;
    };
    count(definition.operation, operation_quotient_work);
    // Folds are as quick with quotients as without in the measured calls: Welford's moments.
    if (definition.reduction) count(definition.reduction->reduce, 0);
    if (definition.reduction && definition.reduction->token_count > 0)
        facts.token_count = definition.reduction->token_count;
    if (definition.rows) {
        facts.calls_functions = calls_function(lexed.tokens_of(definition.operation));
        for (const RowPass& pass : definition.rows->passes)
            count(pass.map, operation_quotient_work);
        count(definition.rows->draw, operation_quotient_work);
        facts.index = uses.mentions("i");
        facts.reduced_index = uses.mentions("_J");
    } else if (!definition.reduction) {
        facts.index = uses.mentions("i");
        facts.count = uses.mentions("n") && !is_taken("n");
        facts.indexer = uses.mentions("_ind") && !is_parameter(signature, "_ind");
        facts.index_wraps =
            (facts.index || facts.indexer) && !facts.keeps_state && only_wraps_index(lexed, macros);
    }
    facts.index_draws = facts.draws && uses.mentions("i") && only_draws(lexed, macros);
    for (Parameter& parameter : signature.parameters) {
        if (parameter.raw) {
            parameter.wraps = only_wraps(lexed, macros, parameter.name);
            continue;
        }
        const std::string view = "_raw_" + parameter.name;
        const bool has_view = !is_parameter(signature, view);
        parameter.viewed = has_view && (uses.mentions(view) || uses.address_of_any);
        parameter.by_reference =
            parameter.viewed || uses.address_of_any || uses.addresses.count(parameter.name) != 0;
    }
}

}  // namespace kgen
