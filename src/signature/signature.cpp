// SPDX-License-Identifier: MIT
#include "signature/signature.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <kgen/error.hpp>
#include <utility>

#include "signature/body_facts.hpp"
#include "signature/lexed_definition.hpp"
#include "signature/names.hpp"
#include "signature/output_needs.hpp"
#include "signature/output_uses.hpp"
#include "signature/parameter_list.hpp"
#include "signature/reduction_facts.hpp"
#include "text/error_parts.hpp"
#include "text/excerpt.hpp"
#include "text/word.hpp"

namespace kgen {

namespace {

constexpr std::size_t most_parameters = 128;
constexpr std::size_t longest_text = 1 << 20;

void check_kernel_name(const std::string& name) {
    const auto fail = [&](const std::string& why) {
        refuse<SignatureError>(
            {ErrorKind::name, {}, {}, name}, "kernel name '{}' {}", printable(name), why);
    };
    if (!is_identifier(name)) {
        fail("is not an identifier: expected letters, digits and '_', not beginning with a digit");
    }
    if (name.size() > longest_name) {
        fail(fmt::format("has {} letters, at most {} are allowed", name.size(), longest_name));
    }
    if (is_keyword(name)) fail("is a keyword of C++");
}

void check_no_nul(const Definition& definition, std::string_view part, const std::string& text) {
    if (text.size() > longest_text) {
        refuse<SignatureError>({ErrorKind::syntax,
                                std::string(part),
                                fmt::format("at most {} bytes", longest_text),
                                std::to_string(text.size())},
                               "kernel '{}': the {} has {} bytes, at most {} are allowed",
                               definition.name,
                               part,
                               text.size(),
                               longest_text);
    }
    const std::size_t nul = text.find('\0');
    if (nul == std::string::npos) return;
    const TextPosition at = position_of(text, nul);
    refuse<SignatureError>({ErrorKind::syntax, std::string(part), {}, "\\0"},
                           "kernel '{}': the {} has a NUL byte at line {}, column {}",
                           definition.name,
                           part,
                           at.line,
                           at.column);
}

void check_distinct(const Signature& signature) {
    for (std::size_t k = 0; k < signature.parameters.size(); ++k) {
        const Parameter& parameter = signature.parameters[k];
        const auto place = [&](std::size_t index) {
            const auto inputs = static_cast<std::size_t>(signature.input_count);
            return index < inputs ? fmt::format("input {}", index + 1)
                                  : fmt::format("output {}", index - inputs + 1);
        };
        for (std::size_t j = 0; j < k; ++j) {
            if (signature.parameters[j].name == parameter.name) {
                refuse<SignatureError>({ErrorKind::syntax, parameter.name},
                                       "kernel '{}': parameter '{}' is defined twice: {} and {}",
                                       signature.name,
                                       parameter.name,
                                       place(j),
                                       place(k));
            }
        }
        for (const Parameter& other : signature.parameters) {
            if (parameter.name.size() == 1 && other.placeholder == parameter.name[0]) {
                refuse<SignatureError>(
                    {ErrorKind::syntax, parameter.name},
                    "kernel '{}': '{}' is both a parameter name and a placeholder",
                    signature.name,
                    parameter.name);
            }
        }
    }
}

}  // namespace

Signature parse_signature(Definition definition) {
    check_kernel_name(definition.name);
    check_no_nul(definition, "input list", definition.inputs);
    check_no_nul(definition, "output list", definition.outputs);
    for (const CodeText& each : code_texts(definition))
        check_no_nul(definition, each.label, *each.text);
    for (const std::string& option : definition.options) {
        check_no_nul(definition, "option list", option);
    }

    Signature signature;
    signature.name = definition.name;
    signature.parameters =
        parse_parameters(definition.name, definition.inputs, ParameterRole::input);
    signature.input_count = static_cast<int>(signature.parameters.size());
    for (Parameter& output :
         parse_parameters(definition.name, definition.outputs, ParameterRole::output)) {
        signature.parameters.push_back(std::move(output));
    }
    if (signature.parameters.size() > most_parameters) {
        refuse<SignatureError>({ErrorKind::syntax,
                                {},
                                fmt::format("at most {} parameters", most_parameters),
                                std::to_string(signature.parameters.size())},
                               "kernel '{}': {} parameters, at most {} are allowed",
                               definition.name,
                               signature.parameters.size(),
                               most_parameters);
    }
    if (signature.parameters.empty()) {
        refuse<SignatureError>({ErrorKind::syntax, {}, "an input or an output", "no parameters"},
                               "kernel '{}': it has no parameters; declare an input or an output",
                               definition.name);
    }
    check_distinct(signature);
    signature.lexed = std::make_shared<const LexedDefinition>(std::move(definition));
    if (signature.lexed->definition.reduction) find_reduction_facts(*signature.lexed, signature);
    find_body_facts(*signature.lexed, signature);
    if (const std::optional<RowTexts>& rows = signature.lexed->definition.rows) {
        signature.row_outputs = &rows->outputs;
        for (Parameter& parameter : signature.parameters) parameter.overwritten = parameter.output;
    } else {
        find_output_uses(*signature.lexed, signature);
        find_output_needs(*signature.lexed, signature);
    }
    return signature;
}

const Definition& Signature::definition() const noexcept {
    return lexed->definition;
}

std::vector<CodeText> code_texts(const Definition& definition) {
    if (definition.reduction) {
        const ReductionTexts& texts = *definition.reduction;
        return {{"map", &definition.operation},
                {"reduce", &texts.reduce},
                {"post_map", &texts.post_map},
                {"identity", &texts.identity},
                {"reduce_type", &texts.reduce_type},
                {"preamble", &definition.preamble}};
    }
    if (definition.rows) {
        std::vector<CodeText> texts = {{"operation", &definition.operation},
                                       {"finish", &definition.rows->finish},
                                       {"draw", &definition.rows->draw}};
        for (const RowPass& pass : definition.rows->passes) {
            texts.push_back({"map", &pass.map});
            texts.push_back({"reduce", &pass.reduce});
            texts.push_back({"identity", &pass.identity});
            texts.push_back({"post_map", &pass.post_map});
        }
        texts.push_back({"preamble", &definition.preamble});
        return texts;
    }
    return {{"operation", &definition.operation},
            {"loop_prep", &definition.loop_prep},
            {"after_loop", &definition.after_loop},
            {"preamble", &definition.preamble}};
}

bool mentions(const Definition& definition, std::string_view word) {
    for (const CodeText& each : code_texts(definition)) {
        if (find_word(*each.text, word) != std::string_view::npos) return true;
    }
    return definition.reduction &&
           find_word(definition.reduction->reduce_type, word) != std::string_view::npos;
}

std::string wrapping_typedef(const Definition& definition,
                             char placeholder,
                             DType dtype,
                             std::string_view own,
                             std::string_view end) {
    const std::string name = fmt::format("{}{}", wrapping_prefix, placeholder);
    if (!mentions(definition, name)) return {};
    // uint16 becomes int in arithmetic. int8 and int16 do, too, but their results fit it.
    const bool is_int = dtype == DType::int32 || dtype == DType::uint16;
    return fmt::format("typedef {} {};{}",
                       is_int                  ? "unsigned"
                       : dtype == DType::int64 ? "unsigned long long"
                                               : own,
                       name,
                       end);
}

bool is_parameter(const Signature& signature, std::string_view name) noexcept {
    return std::any_of(signature.parameters.begin(),
                       signature.parameters.end(),
                       [&](const Parameter& parameter) { return parameter.name == name; });
}

bool tells_places(const Signature& signature) noexcept {
    const BodyFacts& facts = signature.facts;
    if (facts.index || facts.reduced_index || facts.count || facts.indexer) return true;
    if (!signature.reduction) return false;
    const auto tells = [](const PlaceFacts& place) {
        return place.index || place.uses_reduced() || place.uses_output() || place.input_indexer;
    };
    return tells(signature.reduction->map_place) || tells(signature.reduction->post_place);
}

std::string describe_argument(const Signature& signature, std::size_t position) {
    const auto inputs = static_cast<std::size_t>(signature.input_count);
    const std::string& name = signature.parameters[position].name;
    if (position < inputs) return fmt::format("argument {} ('{}')", position + 1, name);
    return fmt::format("output {} ('{}')", position - inputs + 1, name);
}

std::string to_text(const Signature& signature) {
    std::string text;
    for (std::size_t k = 0; k < signature.parameters.size(); ++k) {
        const Parameter& parameter = signature.parameters[k];
        if (static_cast<int>(k) == signature.input_count) {
            text += k == 0 ? "-> " : " -> ";
        } else if (k != 0) {
            text += ", ";
        }
        if (parameter.raw) text += "raw ";
        if (parameter.written && !parameter.output) text += "_non_const ";
        text += parameter.dtype ? std::string(to_text(*parameter.dtype))
                                : std::string(1, parameter.placeholder);
        text += " " + parameter.name;
    }
    if (signature.output_count() == 0) text += " -> ()";
    return text;
}

}  // namespace kgen
