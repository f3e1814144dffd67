// SPDX-License-Identifier: MIT
//
// TemplateDefinition: one kernel template, as read from a template file. It provides the strings that stage 1
// (parse_signature) parses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kgen/dtype.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "signature/signature.hpp"

namespace kgen {

// The largest number of combinations of dtypes that a template may have.
inline constexpr std::size_t most_combinations = 1000;

// The dtypes that a placeholder may take.
struct PlaceholderTypes {
    char placeholder = 0;
    std::vector<DType> dtypes;  // distinct, at least one

    friend bool operator==(const PlaceholderTypes&, const PlaceholderTypes&) = default;
};

// An overload of a template, also called a form. All overloads have the same parameter names.
struct TemplateOverload {
    Definition definition;
    Signature signature;  // parse_signature(definition), perhaps without its tokens
    // The overload fits a call only if these placeholders get one of these dtypes. Placeholders that are
    // not listed may have any dtype.
    std::vector<PlaceholderTypes> where;
};

// A combination of dtypes: an overload, and a dtype for each of its placeholders in the order in which its
// parameters name them. `placeholders` is empty if the overload has none.
struct TemplateTypes {
    std::size_t overload = 0;  // index into TemplateDefinition::overloads
    std::vector<std::pair<char, DType>> placeholders;

    friend bool operator==(const TemplateTypes&, const TemplateTypes&) = default;
};

enum class TemplateKind : std::uint8_t { elementwise, reduction };

struct TemplateDefinition {
    using Kind = TemplateKind;

    std::string name;                  // equals the name in each overload's Definition
    std::vector<std::string> aliases;  // further names that find it
    std::string description;           // one line
    Kind kind = Kind::elementwise;
    std::vector<TemplateOverload> overloads;  // at least one; a call uses the first that fits
    // The combinations of types and the layouts (template_layouts.hpp) that `kgen compile` compiles ahead of
    // time. Types are distinct and ordered by overload. A call with inputs of such types uses that overload.
    std::vector<TemplateTypes> types;
    std::vector<std::string> layouts;
    std::vector<std::string> numbers;  // names of inputs that calls give as numbers
    std::string origin;                // the file's name, as passed to read_templates
};

// Whether the template has this name or alias.
bool is_called(const TemplateDefinition& definition, std::string_view name) noexcept;

// What a list of templates shows of one.
struct TemplateSummary {
    std::string name;
    std::string description;
    TemplateKind kind = TemplateKind::elementwise;
    std::string origin;
};

// Returns "elementwise" or "reduction".
std::string_view to_text(TemplateKind kind) noexcept;

// Replaces the dtypes of some placeholders, as `kgen compile --types T=float32,float64` does for T. `lists`
// gives the new dtypes. A placeholder that is not in `lists` keeps the dtypes of the definition's own types;
// an overload without such types is left out. Returns the combinations that calls can use, in the order of
// TemplateDefinition::types. An overload without placeholders adds one combination. Throws SignatureError for
// more than most_combinations.
std::vector<TemplateTypes> expand_types(const TemplateDefinition& definition,
                                        const std::vector<PlaceholderTypes>& lists);

}  // namespace kgen
