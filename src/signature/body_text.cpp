// SPDX-License-Identifier: MIT
#include "signature/body_text.hpp"

#include <algorithm>

#include "signature/active_code.hpp"
#include "signature/name_uses.hpp"
#include "signature/names.hpp"

namespace kgen {

namespace {

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

bool is_member(const std::vector<Token>& tokens, std::size_t at) {
    if (at == 0) return false;
    const std::string_view before = tokens[at - 1].text;
    return before == "." || before == "->" || before == "::";
}

BodyText::BodyText(const Definition& definition, const std::vector<Parameter>& parameters)
    : parameters_(parameters), has_unseen_macros_(includes_files(definition)) {
    const std::vector<const std::string*> texts = in_order(definition);
    for (const std::string* text : texts) {
        ranges_[text] = {joined_.size(), joined_.size() + text->size()};
        joined_ += *text + "\n";
    }
    const TokenList list = tokenize(joined_);
    const std::vector<TokenUse> uses =
        find_active(list, TextPlace::source, definition.options, {"__CUDACC__", "__CUDACC_RTC__"});
    for (std::size_t k = 0; k < list.tokens.size(); ++k) {
        if (uses[k] == TokenUse::code) code_.push_back(list.tokens[k]);
        const bool defines = uses[k] == TokenUse::directive && list.tokens[k].starts_line &&
                             k + 2 < list.tokens.size() && list.tokens[k + 1].text == "define";
        if (defines) add_macro(list.tokens, k + 2);
    }
    add_option_macros(definition.options);
}

void BodyText::add_macro(const std::vector<Token>& tokens, std::size_t define) {
    const Token& name = tokens[define];
    Macro macro{.offset = name.offset, .parameters = {}, .replacement = {}};
    std::size_t at = define + 1;
    const auto goes_on = [&] { return at < tokens.size() && !tokens[at].starts_line; };
    if (goes_on() && tokens[at].text == "(" &&
        tokens[at].offset == name.offset + name.text.size()) {
        for (; goes_on() && tokens[at].text != ")"; ++at)
            macro.parameters.push_back(tokens[at].text);
        ++at;
    }
    for (; goes_on(); ++at) macro.replacement.push_back(tokens[at]);
    macros_.emplace(name.text, std::move(macro));
}

void BodyText::add_option_macros(const std::vector<std::string>& options) {
    for (const MacroOption& option : macro_options(options)) {
        const std::string& name = option_texts_.emplace_back(option.name);
        const std::string& value = option_texts_.emplace_back(option.value);
        macros_.emplace(name, Macro{.parameters = {}, .replacement = tokenize(value).tokens});
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

bool BodyText::may_expand_to(const Token& token, std::string_view name) const {
    if (token.kind != TokenKind::identifier || token.text == name) return false;
    if (macros_.count(token.text) == 0) return has_unseen_macros_ && !is_known(token.text);
    Names visited;
    return may_expand(token.text, name, visited);
}

bool BodyText::is_known(std::string_view name) const {
    if (is_keyword(name) || takes_values(name) || parse_dtype(name)) return true;
    return std::any_of(parameters_.begin(), parameters_.end(), [&](const Parameter& parameter) {
        return parameter.name == name || name == std::string_view(&parameter.placeholder, 1);
    });
}

bool BodyText::may_expand(std::string_view macro, std::string_view name, Names& visited) const {
    if (!visited.insert(macro).second) return false;
    const auto [begin, end] = macros_.equal_range(macro);
    return std::any_of(begin, end, [&](const auto& each) {
        const std::vector<Token>& tokens = each.second.replacement;
        const std::vector<std::string_view>& own = each.second.parameters;
        for (std::size_t k = 0; k < tokens.size(); ++k) {
            const std::string_view text = tokens[k].text;
            if (text == "##" || text == "%:%:") return true;  // may paste any name
            if (tokens[k].kind != TokenKind::identifier || is_member(tokens, k)) continue;
            if (std::find(own.begin(), own.end(), text) != own.end()) continue;
            if (text == name || may_expand(text, name, visited)) return true;
        }
        return false;
    });
}

bool BodyText::is_replaced(const Token& token, const std::string& text) const {
    const auto [begin, end] = macros_.equal_range(token.text);
    return std::any_of(begin, end, [&](const auto& each) {
        const Macro& macro = each.second;
        const bool is_before =
            macro.offset >= ranges_.at(&text).begin && macro.offset < token.offset;
        return is_before &&
               std::none_of(
                   macro.replacement.begin(), macro.replacement.end(), [&](const Token& t) {
                       return t.text == token.text || t.text == "##" || t.text == "%:%:";
                   });
    });
}

}  // namespace kgen
