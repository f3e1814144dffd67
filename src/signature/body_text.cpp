// SPDX-License-Identifier: MIT
#include "signature/body_text.hpp"

#include <algorithm>

#include "signature/active_code.hpp"
#include "signature/macro_definitions.hpp"
#include "signature/name_uses.hpp"
#include "signature/names.hpp"

namespace kgen {

namespace {

// The operator that makes any name of two others.
constexpr std::string_view pasting = "##";

std::vector<const std::string*> in_order(const Definition& definition) {
    if (!definition.reduction)
        return {&definition.preamble,
                &definition.loop_prep,
                &definition.operation,
                &definition.after_loop};
    const ReductionTexts& texts = *definition.reduction;
    return {&definition.preamble,
            &texts.reduce_type,
            &definition.operation,
            &texts.reduce,
            &texts.identity,
            &texts.post_map};
}

}  // namespace

BodyText::BodyText(const LexedDefinition& lexed, const std::vector<Parameter>& parameters)
    : lexed_(lexed), parameters_(parameters) {
    const Definition& definition = lexed.definition;
    std::vector<Token> all;
    std::vector<Part*> parts;  // of each token
    for (const std::string* text : in_order(definition)) {
        const std::vector<Token>& tokens = lexed.tokens_of(*text);
        all.insert(all.end(), tokens.begin(), tokens.end());
        parts.resize(all.size(), &parts_[text]);
    }
    const std::vector<TokenUse> uses =
        find_active(all, TextPlace::source, definition.options, {"__CUDACC__", "__CUDACC_RTC__"});
    for (std::size_t k = 0; k < all.size(); ++k) {
        if (uses[k] == TokenUse::code) parts[k]->code.push_back(all[k]);
    }
    for (const MacroDefinition& macro : find_macros(all)) {
        if (uses[macro.name] == TokenUse::directive) add_macro(all, macro, *parts[macro.name]);
    }
    for (const MacroOption& option : macro_options(definition.options)) {
        const std::string& name = option_texts_.emplace_back(option.name);
        const std::string& value = option_texts_.emplace_back(option.value);
        add_mentions(name, tokenize(value).tokens, {});
    }
}

void BodyText::add_macro(TokenSpan tokens, const MacroDefinition& macro, Part& part) {
    const Token& name = tokens[macro.name];
    NameSet own;  // the macro's parameters
    for (std::size_t k = macro.name + 1; k < macro.replacement; ++k) own.insert(tokens[k].text);
    const TokenSpan replacement = replacement_of(tokens, macro);
    add_mentions(name.text, replacement, own);
    const bool mentions_itself =
        std::any_of(replacement.begin(), replacement.end(), [&](const Token& token) {
            return token.text == name.text || token.text == pasting;
        });
    if (!mentions_itself) part.hiding.emplace(name.text, name.offset);
}

void BodyText::add_mentions(std::string_view macro, TokenSpan replacement, const NameSet& own) {
    macros_.insert(macro);
    for (std::size_t k = 0; k < replacement.size(); ++k) {
        const Token& token = replacement[k];
        const bool names = token.kind == TokenKind::identifier && !is_member(replacement, k) &&
                           own.count(token.text) == 0;
        if (pastes(token) || names)
            mentioning_.emplace(pastes(token) ? pasting : token.text, macro);
    }
}

bool BodyText::has_conditions(const std::string& text) const {
    const std::vector<Token>& tokens = lexed_.tokens_of(text);
    for (std::size_t k = 1; k < tokens.size(); ++k) {
        if (tokens[k].text.starts_with("if") && begins_directive(tokens[k - 1])) return true;
    }
    return false;
}

NameSet BodyText::macros_for(std::string_view name) const {
    NameSet found;
    std::vector<std::string_view> open = {name, pasting};
    while (!open.empty()) {
        const auto [begin, end] = mentioning_.equal_range(open.back());
        open.pop_back();
        for (auto each = begin; each != end; ++each) {
            if (found.insert(each->second).second) open.push_back(each->second);
        }
    }
    return found;
}

bool BodyText::may_be_unseen_macro(std::string_view name) const {
    if (!lexed_.includes_files || is_macro(name)) return false;
    if (is_keyword(name) || takes_values(name) || parse_dtype(name)) return false;
    return std::none_of(parameters_.begin(), parameters_.end(), [&](const Parameter& parameter) {
        return parameter.name == name || name == std::string_view(&parameter.placeholder, 1);
    });
}

std::size_t BodyText::hidden_from(std::string_view name, const std::string& text) const {
    const auto& hiding = parts_.at(&text).hiding;
    const auto found = hiding.find(name);
    return found == hiding.end() ? std::string_view::npos : found->second;
}

}  // namespace kgen
