// SPDX-License-Identifier: MIT
#include "template/template_definition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <kgen/error.hpp>

#include "template/overload_choice.hpp"

namespace kgen {

namespace {

// In the order in which the parameters name them.
std::string placeholders_of(const Signature& signature) {
    std::string letters;
    for (const Parameter& parameter : signature.parameters) {
        const bool is_new = !parameter.dtype && letters.find(parameter.placeholder) == letters.npos;
        if (is_new) letters += parameter.placeholder;
    }
    return letters;
}

DType dtype_of(const Parameter& parameter, const TemplateTypes& types) {
    if (parameter.dtype) return *parameter.dtype;
    const auto bound =
        std::find_if(types.placeholders.begin(), types.placeholders.end(), [&](const auto& each) {
            return each.first == parameter.placeholder;
        });
    return bound->second;
}

// What a call with inputs of these types gives.
std::vector<ArgumentType> inputs_of(const Signature& signature, const TemplateTypes& types) {
    std::vector<ArgumentType> arguments(signature.parameters.size());
    for (std::size_t k = 0; k < static_cast<std::size_t>(signature.input_count); ++k)
        arguments[k] = {ArgumentType::Kind::array, dtype_of(signature.parameters[k], types)};
    return arguments;
}

bool allows(const TemplateOverload& overload, const TemplateTypes& types) {
    for (const auto& [letter, dtype] : types.placeholders) {
        for (const PlaceholderTypes& allowed : overload.where) {
            if (allowed.placeholder != letter) continue;
            if (std::find(allowed.dtypes.begin(), allowed.dtypes.end(), dtype) ==
                allowed.dtypes.end()) {
                return false;
            }
        }
    }
    return true;
}

// Whether a call with these inputs takes the form that the types name, and none before it.
bool is_taken(const std::vector<TemplateOverload>& forms, const TemplateTypes& types) {
    const TemplateOverload& own = forms[types.overload];
    if (!allows(own, types)) return false;
    const std::vector<ArgumentType> inputs = inputs_of(own.signature, types);
    return std::none_of(forms.begin(),
                        forms.begin() + static_cast<std::ptrdiff_t>(types.overload),
                        [&](const TemplateOverload& earlier) {
                            return fits(earlier.signature, earlier.where, inputs);
                        });
}

}  // namespace

std::string_view to_text(TemplateKind kind) noexcept {
    return kind == TemplateKind::elementwise ? "elementwise" : "reduction";
}

std::vector<TemplateTypes> expand_types(const TemplateDefinition& definition,
                                        const std::vector<PlaceholderTypes>& lists) {
    const std::vector<TemplateOverload>& forms = definition.overloads;
    std::vector<TemplateTypes> all;
    for (std::size_t k = 0; k < forms.size(); ++k) {
        std::vector<TemplateTypes> combinations = {{.overload = k, .placeholders = {}}};
        for (const char letter : placeholders_of(forms[k].signature)) {
            const auto list = std::find_if(lists.begin(), lists.end(), [&](const auto& each) {
                return each.placeholder == letter;
            });
            std::vector<TemplateTypes> longer;
            for (const TemplateTypes& begun : combinations) {
                if (list == lists.end()) break;
                for (const DType dtype : list->dtypes) {
                    longer.push_back(begun);
                    longer.back().placeholders.emplace_back(letter, dtype);
                }
            }
            if (longer.size() + all.size() > most_combinations) {
                throw SignatureError(
                    fmt::format("template '{}': more than {} combinations of types",
                                definition.name,
                                most_combinations));
            }
            combinations = std::move(longer);
        }
        for (TemplateTypes& types : combinations) {
            if (is_taken(forms, types)) all.push_back(std::move(types));
        }
    }
    return all;
}

}  // namespace kgen
