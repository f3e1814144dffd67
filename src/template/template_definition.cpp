// SPDX-License-Identifier: MIT
#include "template/template_definition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <kgen/error.hpp>

#include "template/overload_choice.hpp"
#include "text/list.hpp"

namespace kgen {

namespace {

// Returns the placeholders (letters that stand for a dtype, such as T), each once, in the order in which the
// parameters first name them.
std::string placeholders_of(const Signature& signature) {
    std::string letters;
    for (const Parameter& parameter : signature.parameters) {
        const bool is_new = !parameter.dtype && letters.find(parameter.placeholder) == letters.npos;
        if (is_new) letters += parameter.placeholder;
    }
    return letters;
}

DType dtype_of(char letter, const TemplateTypes& types) {
    const auto bound = std::find_if(types.placeholders.begin(),
                                    types.placeholders.end(),
                                    [&](const auto& each) { return each.first == letter; });
    return bound->second;
}

DType dtype_of(const Parameter& parameter, const TemplateTypes& types) {
    return parameter.dtype ? *parameter.dtype : dtype_of(parameter.placeholder, types);
}

// Returns the arguments of a call whose inputs are arrays of these types.
std::vector<ArgumentType> inputs_of(const Signature& signature, const TemplateTypes& types) {
    std::vector<ArgumentType> arguments(signature.parameters.size());
    for (std::size_t k = 0; k < static_cast<std::size_t>(signature.input_count); ++k)
        arguments[k] = {ArgumentType::Kind::array, dtype_of(signature.parameters[k], types)};
    return arguments;
}

bool allows(const TemplateOverload& overload, const TemplateTypes& types) {
    for (const auto& [letter, dtype] : types.placeholders) {
        for (const PlaceholderTypes& allowed : overload.where) {
            if (allowed.placeholder == letter && !is_one_of(dtype, allowed.dtypes)) return false;
        }
    }
    return true;
}

// Whether a call with inputs of these types uses the overload that `types` names, and not an earlier one.
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

const PlaceholderTypes* find_list(char letter, const std::vector<PlaceholderTypes>& lists) {
    const auto list = std::find_if(
        lists.begin(), lists.end(), [&](const auto& each) { return each.placeholder == letter; });
    return list == lists.end() ? nullptr : &*list;
}

// Returns the dtypes of an overload's placeholders that are not in `lists`: their distinct combinations in
// the template's own types. Returns one empty combination if `lists` contains all placeholders.
std::vector<TemplateTypes> kept_types(const TemplateDefinition& definition,
                                      std::size_t form,
                                      const std::string& letters,
                                      const std::vector<PlaceholderTypes>& lists) {
    std::string unnamed;
    for (const char letter : letters) {
        if (find_list(letter, lists) == nullptr) unnamed += letter;
    }
    if (unnamed.empty()) return {{.overload = form, .placeholders = {}}};
    std::vector<TemplateTypes> kept;
    for (const TemplateTypes& own : definition.types) {
        if (own.overload != form) continue;
        TemplateTypes part{.overload = form, .placeholders = {}};
        for (const char letter : unnamed)
            part.placeholders.emplace_back(letter, dtype_of(letter, own));
        add_once(kept, part);
    }
    return kept;
}

}  // namespace

std::string_view to_text(TemplateKind kind) noexcept {
    return kind == TemplateKind::elementwise ? "elementwise" : "reduction";
}

bool is_called(const TemplateDefinition& definition, std::string_view name) noexcept {
    return definition.name == name || is_one_of(name, definition.aliases);
}

std::vector<TemplateTypes> expand_types(const TemplateDefinition& definition,
                                        const std::vector<PlaceholderTypes>& lists) {
    const std::vector<TemplateOverload>& forms = definition.overloads;
    std::vector<TemplateTypes> all;
    for (std::size_t k = 0; k < forms.size(); ++k) {
        const std::string letters = placeholders_of(forms[k].signature);
        for (const TemplateTypes& kept : kept_types(definition, k, letters, lists)) {
            std::vector<TemplateTypes> combinations = {{.overload = k, .placeholders = {}}};
            for (const char letter : letters) {
                const PlaceholderTypes* list = find_list(letter, lists);
                const std::vector<DType> dtypes =
                    list != nullptr ? list->dtypes : std::vector{dtype_of(letter, kept)};
                std::vector<TemplateTypes> longer;
                for (const TemplateTypes& begun : combinations) {
                    for (const DType dtype : dtypes) {
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
    }
    return all;
}

}  // namespace kgen
