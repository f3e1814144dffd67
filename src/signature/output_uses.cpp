// SPDX-License-Identifier: MIT
#include "signature/output_uses.hpp"

#include <algorithm>
#include <array>
#include <kgen/error.hpp>

#include "signature/body_text.hpp"
#include "signature/name_reads.hpp"
#include "signature/name_uses.hpp"
#include "text/error_parts.hpp"
#include "text/word.hpp"

namespace kgen {

namespace {

class OutputReader {
public:
    OutputReader(const LexedDefinition& lexed, const Signature& signature)
        : lexed_(lexed),
          signature_(signature),
          text_(lexed, signature.parameters),
          body_(lexed.definition.reduction ? lexed.definition.reduction->post_map
                                           : lexed.definition.operation),
          tokens_(text_.code_of(body_)) {
        for (const Token& token : text_.code_of(lexed.definition.preamble))
            preamble_names_.insert(token.text);
    }

    // Raw parameters and `_raw_` views can be named in all texts except the preamble, other outputs only in
    // the operation or post_map.
    bool is_named(const Parameter& output) const {
        if (names(body_, output.name)) return true;
        return std::any_of(lexed_.texts.begin(), lexed_.texts.end(), [&](const LexedText& each) {
            return each.text != &lexed_.definition.preamble &&
                   (names(*each.text, "_raw_" + output.name) ||
                    (output.raw && names(*each.text, output.name)));
        });
    }

    bool is_read_first(const Parameter& output) const {
        if (output.raw || output.by_reference) return false;
        const NameSet macros = text_.macros_for(output.name);
        const std::size_t hidden_from = text_.hidden_from(output.name, body_);
        int depth = 0;
        // Bracket depth of the macro call around the token, or -1. A macro may use its arguments in any way.
        int macro_at = -1;
        for (std::size_t k = 0; k < tokens_.size(); ++k) {
            const Token& token = tokens_[k];
            if (may_name(token, output.name, macros)) return false;
            if (token.text == "(" && macro_at < 0 && k > 0 && text_.is_macro(tokens_[k - 1].text))
                macro_at = depth;
            if (token.text == "(") ++depth;
            if (token.text == ")" && --depth == macro_at) macro_at = -1;
            if (token.text == output.name && (macro_at >= 0 || token.offset > hidden_from))
                return false;
        }
        // If a condition cannot be decided, the tokens contain all branches of its #if, so it is not known
        // which statement runs first.
        const TakesValues takes = [&](std::string_view word) { return takes_values_here(word); };
        return reads_only(tokens_, output.name, takes) ||
               (!text_.has_conditions(body_) && begins_with_read(tokens_, output.name, takes));
    }

    bool is_overwritten(const Parameter& output) const {
        if (output.raw || output.by_reference || text_.has_conditions(body_)) return false;
        // A macro may hide a statement that ends the element.
        const bool has_macro = std::any_of(tokens_.begin(), tokens_.end(), [&](const Token& token) {
            return token.kind == TokenKind::identifier &&
                   (text_.is_macro(token.text) || text_.may_be_unseen_macro(token.text));
        });
        return !has_macro && begins_with_write(tokens_, output.name);
    }

private:
    // Whether the token is a macro that may expand to this name.
    bool may_name(const Token& token, std::string_view name, const NameSet& macros) const {
        if (token.kind != TokenKind::identifier || token.text == name) return false;
        return macros.count(token.text) != 0 || text_.may_be_unseen_macro(token.text);
    }

    bool names(const std::string& text, std::string_view name) const {
        const std::vector<Token>& tokens = text_.code_of(text);
        const NameSet macros = text_.macros_for(name);
        const std::size_t hidden_from = text_.hidden_from(name, text);
        for (std::size_t k = 0; k < tokens.size(); ++k) {
            if (may_name(tokens[k], name, macros)) return true;
            if (tokens[k].text != name || is_member(tokens, k) || tokens[k].offset > hidden_from)
                continue;
            if (!is_declared(tokens, k)) return true;
            k = end_of_scope(tokens, k);  // up to there, the name is that of a local variable
        }
        return false;
    }

    bool takes_values_here(std::string_view word) const {
        if (is_type(word)) return word != "auto" && word != "const";
        if (!takes_values(word) && !word.starts_with("__")) return false;
        return preamble_names_.count(word) == 0;  // the preamble may define another function
    }

    // Returns the index of the token that ends the scope of the variable declared at index `declared`. This
    // is the '}' of its block. If it is declared in parentheses, as a parameter or in a for, it is the end of
    // the body or statement after them.
    static std::size_t end_of_scope(const std::vector<Token>& tokens, std::size_t declared) {
        bool is_parameter = false;
        int depth = 0;
        for (std::size_t k = declared; k < tokens.size(); ++k) {
            const std::string_view text = tokens[k].text;
            if (text == "(" || text == "{" || text == "<%") ++depth;
            if (text == ")" || text == "}" || text == "%>") --depth;
            if (depth < 0 && text == ")") {
                is_parameter = true;
                depth = 0;
            } else if (depth < 0 || (is_parameter && depth == 0 && (text == ";" || text == "}"))) {
                return k;
            }
        }
        return tokens.size();
    }

    // Whether the name follows a type: "float z", "const T& z".
    bool is_declared(const std::vector<Token>& tokens, std::size_t at) const {
        if (at == 0) return false;
        const Token& before = tokens[at - 1];
        // A macro may expand to anything, so it does not count as a type.
        if (before.kind == TokenKind::identifier)
            return ends_operand(before) && !text_.is_macro(before.text);
        const bool refers = before.text == "&" || before.text == "&&" || before.text == "*";
        return refers && at > 1 && is_type(tokens[at - 2].text);
    }

    bool is_type(std::string_view word) const { return is_type_word(word, signature_.parameters); }

    const LexedDefinition& lexed_;
    const Signature& signature_;
    BodyText text_;
    const std::string& body_;
    const std::vector<Token>& tokens_;
    NameSet preamble_names_;
};

}  // namespace

void find_output_uses(const LexedDefinition& lexed, Signature& signature) {
    if (signature.output_count() == 0) return;
    const OutputReader reader(lexed, signature);
    for (Parameter& parameter : signature.parameters) {
        if (!parameter.output) continue;
        parameter.unnamed = !reader.is_named(parameter);
        parameter.read_first = reader.is_read_first(parameter);
        parameter.overwritten = reader.is_overwritten(parameter);
    }
}

void check_outputs_named(const Signature& signature) {
    for (std::size_t k = 0; k < signature.parameters.size(); ++k) {
        const Parameter& parameter = signature.parameters[k];
        if (!parameter.unnamed) continue;
        refuse<SignatureError>(
            {ErrorKind::syntax, parameter.name, "a value"},
            "kernel '{}': {} is never written: the {} does not name it; write '{}{} = ...'",
            signature.name,
            describe_argument(signature, k),
            signature.reduction ? "post_map" : "operation",
            parameter.name,
            parameter.raw ? "[i]" : "");
    }
}

}  // namespace kgen
