// SPDX-License-Identifier: MIT
#include "signature/lexed_definition.hpp"

#include <algorithm>
#include <kgen/error.hpp>

#include "text/error_parts.hpp"
#include "text/excerpt.hpp"
#include "text/source_scan.hpp"

namespace kgen {

namespace {

bool may_include_files(const Definition& definition) {
    const std::vector<CodeText> texts = code_texts(definition);
    return reads_files({}, definition.options) ||
           std::any_of(texts.begin(), texts.end(), [](const CodeText& each) {
               return reads_files(*each.text, {});
           });
}

LexedText lex(const std::string& kernel, const CodeText& part) {
    TokenList list = tokenize(*part.text);
    const std::vector<TokenError> errors = find_imbalance(list);
    if (errors.empty()) return {part, std::move(list.tokens)};
    const TokenError& error = errors.front();
    const TextPosition at = position_of(*part.text, error.offset);
    refuse<SignatureError>({ErrorKind::syntax,
                            std::string(part.label),
                            {},
                            part.text->substr(error.offset, error.length)},
                           "kernel '{}': the {} is not balanced at line {}, column {}: {}{}",
                           kernel,
                           part.label,
                           at.line,
                           at.column,
                           error.reason,
                           excerpt(*part.text, error.offset, error.length));
}

}  // namespace

LexedDefinition::LexedDefinition(Definition from)
    : definition(std::move(from)), includes_files(may_include_files(definition)) {
    for (const CodeText& each : code_texts(definition)) texts.push_back(lex(definition.name, each));
    for (const std::string& option : definition.options) options.push_back(tokenize(option).tokens);
}

const std::vector<Token>& LexedDefinition::tokens_of(const std::string& text) const {
    return std::find_if(texts.begin(),
                        texts.end(),
                        [&](const LexedText& each) { return each.text == &text; })
        ->tokens;
}

}  // namespace kgen
