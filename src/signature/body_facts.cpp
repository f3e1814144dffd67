// SPDX-License-Identifier: MIT
#include "signature/body_facts.hpp"

#include <algorithm>
#include <string_view>

#include "signature/active_code.hpp"
#include "signature/name_uses.hpp"

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

// Counts the calls of mathematical functions of tens of instructions, because a body with several of them may be
// bound by arithmetic instead of memory. A parameter may have the name of a function, such as y0.
int count_long_functions(const std::vector<Token>& tokens) {
    int count = 0;
    for (std::size_t k = 0; k + 1 < tokens.size(); ++k) {
        if (tokens[k].kind == TokenKind::identifier && tokens[k + 1].text == "(" &&
            is_long_function(tokens[k].text))
            ++count;
    }
    return count;
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
    collect_macro_uses(lexed, parameters, uses);

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
    facts.shared_memory = uses.mentions("__shared__") || has(preamble, "__shared__");
    const auto count = [&](const std::string& text) {
        facts.long_functions += count_long_functions(lexed.tokens_of(text));
        facts.token_count += lexed.tokens_of(text).size();
    };
    count(definition.operation);
    if (definition.reduction) count(definition.reduction->reduce);
    if (!definition.reduction) {
        facts.index = uses.mentions("i");
        facts.count = uses.mentions("n") && !is_taken("n");
        facts.indexer = uses.mentions("_ind") && !is_parameter(signature, "_ind");
    }
    for (Parameter& parameter : signature.parameters) {
        if (parameter.raw) continue;
        const std::string view = "_raw_" + parameter.name;
        const bool has_view = !is_parameter(signature, view);
        parameter.viewed = has_view && (uses.mentions(view) || uses.address_of_any);
        parameter.by_reference =
            parameter.viewed || uses.address_of_any || uses.addresses.count(parameter.name) != 0;
    }
}

}  // namespace kgen
