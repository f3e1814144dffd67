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

BodyText::BodyText(const Definition& definition, const std::vector<Parameter>& parameters)
    : parameters_(parameters), has_unseen_macros_(includes_files(definition)) {
    const std::vector<const std::string*> texts = in_order(definition);
    for (const std::string* text : texts) {
        ranges_[text] = {joined_.size(), joined_.size() + text->size()};
        joined_ += *text + "\n\n";  // two, because a text may end in a backslash
    }
    const TokenList list = tokenize(joined_);
    const std::vector<TokenUse> uses =
        find_active(list, TextPlace::source, definition.options, {"__CUDACC__", "__CUDACC_RTC__"});
    for (std::size_t k = 0; k < list.tokens.size(); ++k) {
        if (uses[k] == TokenUse::code) code_.push_back(list.tokens[k]);
    }
    for (const MacroDefinition& macro : find_macros(list.tokens)) {
        if (uses[macro.name] == TokenUse::directive) add_macro(list.tokens, macro);
    }
    add_option_macros(definition.options);
}

void BodyText::add_macro(const std::vector<Token>& tokens, const MacroDefinition& macro) {
    const Token& name = tokens[macro.name];
    NameSet own;  // the macro's parameters
    for (std::size_t k = macro.name + 1; k < macro.replacement; ++k) own.insert(tokens[k].text);
    const std::vector<Token> replacement = replacement_of(tokens, macro);
    add_mentions(name.text, replacement, own);
    const bool mentions_itself =
        std::any_of(replacement.begin(), replacement.end(), [&](const Token& token) {
            return token.text == name.text || token.text == pasting;
        });
    if (!mentions_itself) hiding_.emplace(name.text, name.offset);
}

void BodyText::add_option_macros(const std::vector<std::string>& options) {
    for (const MacroOption& option : macro_options(options)) {
        const std::string& name = option_texts_.emplace_back(option.name);
        const std::string& value = option_texts_.emplace_back(option.value);
        add_mentions(name, tokenize(value).tokens, {});
    }
}

void BodyText::add_mentions(std::string_view macro,
                            const std::vector<Token>& replacement,
                            const NameSet& own) {
    macros_.insert(macro);
    for (std::size_t k = 0; k < replacement.size(); ++k) {
        const Token& token = replacement[k];
        const bool pastes = token.text == pasting || token.text == "%:%:";
        const bool names = token.kind == TokenKind::identifier && !is_member(replacement, k) &&
                           own.count(token.text) == 0;
        if (pastes || names) mentioning_.emplace(pastes ? pasting : token.text, macro);
    }
}

std::vector<Token> BodyText::tokens_of(const std::string& text) const {
    const Range range = ranges_.at(&text);
    std::vector<Token> tokens;
    for (const Token& token : code_) {
        if (token.offset >= range.begin && token.offset < range.end) tokens.push_back(token);
    }
    return tokens;
}

bool BodyText::has_conditions(const std::string& text) const {
    const std::vector<Token> tokens = tokenize(text).tokens;
    for (std::size_t k = 1; k < tokens.size(); ++k) {
        if (tokens[k].text.starts_with("if") && tokens[k - 1].starts_line &&
            (tokens[k - 1].text == "#" || tokens[k - 1].text == "%:"))
            return true;
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
    if (!has_unseen_macros_ || is_macro(name)) return false;
    if (is_keyword(name) || takes_values(name) || parse_dtype(name)) return false;
    return std::none_of(parameters_.begin(), parameters_.end(), [&](const Parameter& parameter) {
        return parameter.name == name || name == std::string_view(&parameter.placeholder, 1);
    });
}

std::size_t BodyText::hidden_from(std::string_view name, const std::string& text) const {
    const Range range = ranges_.at(&text);
    std::size_t first = joined_.size();
    const auto [begin, end] = hiding_.equal_range(name);
    for (auto each = begin; each != end; ++each) {
        if (each->second >= range.begin && each->second < range.end)
            first = std::min(first, each->second);
    }
    return first;
}

}  // namespace kgen
