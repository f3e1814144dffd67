// SPDX-License-Identifier: MIT
#include "signature/body_facts.hpp"

#include <algorithm>
#include <string_view>

#include "signature/name_uses.hpp"
#include "signature/token.hpp"

namespace kgen {

namespace {

// Whether an option defines a macro of that name.
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

// Whether the text defines `name`, as a macro or by a declaration (after a type) outside of all brackets.
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

// Whether an element's result may depend on state that another element left: variables of loop_prep, of the
// preamble (which has a ';' outside of all brackets if it declares one), or static variables.
bool may_keep_state(const Definition& definition, const NameUses& uses) {
    if (!definition.loop_prep.empty() || !definition.after_loop.empty()) return true;
    for (const Token& token : outer_tokens(tokenize(definition.preamble))) {
        if (token.text == ";") return true;
    }
    return uses.mentions("static") || definition.preamble.find("static") != std::string::npos;
}

// Counts the mathematical functions of tens of instructions, because a body with several of them may be bound
// by arithmetic instead of memory.
int count_long_functions(const TokenList& list) {
    return static_cast<int>(
        std::count_if(list.tokens.begin(), list.tokens.end(), [](const Token& token) {
            return token.kind == TokenKind::identifier && is_long_function(token.text);
        }));
}

}  // namespace

void find_body_facts(const Definition& definition, Signature& signature) {
    const std::vector<Parameter>& parameters = signature.parameters;
    const TokenList operation = tokenize(definition.operation);
    const TokenList reduce =
        definition.reduction ? tokenize(definition.reduction->reduce) : TokenList();
    NameUses uses;
    for (const CodeText& each : code_texts(definition)) {
        if (each.text != &definition.preamble)
            collect_uses(tokenize(*each.text).tokens, parameters, uses);
        collect_macro_uses(*each.text, parameters, uses);
    }
    collect_option_uses(definition.options, parameters, uses);

    const auto is_taken = [&](std::string_view name) {
        for (const Parameter& parameter : parameters) {
            if (parameter.name == name || name == std::string_view(&parameter.placeholder, 1))
                return true;
        }
        // The user's own definition of the name takes precedence over kgen's `n`.
        return defines_by_option(definition.options, name) || defines(definition.preamble, name) ||
               defines(definition.loop_prep, name);
    };
    BodyFacts& facts = signature.facts;
    facts.keeps_state = may_keep_state(definition, uses);
    facts.shared_memory = uses.mentions("__shared__") || [&] {
        for (const Token& token : tokenize(definition.preamble).tokens) {
            if (token.text == "__shared__") return true;
        }
        return false;
    }();
    facts.long_functions = count_long_functions(operation) + count_long_functions(reduce);
    facts.token_count = operation.tokens.size() + reduce.tokens.size();
    if (!definition.reduction) {
        facts.index = uses.mentions("i");
        facts.count = uses.mentions("n") && !is_taken("n");
        facts.indexer = uses.mentions("_ind");
    }
    for (Parameter& parameter : signature.parameters) {
        if (parameter.raw) continue;
        parameter.viewed = uses.mentions("_raw_" + parameter.name) || uses.address_of_any;
        parameter.by_reference = parameter.viewed || uses.addresses.count(parameter.name) != 0;
    }
}

}  // namespace kgen
