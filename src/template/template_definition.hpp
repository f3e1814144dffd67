// SPDX-License-Identifier: MIT
//
// TemplateDefinition: what a file of kernel templates says of one of them. Templates stand before stage 1.
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

// One form of a template. All forms have the parameter names of the first.
struct TemplateOverload {
    Definition definition;
    Signature signature;  // parse_signature of the definition
    // It fits only where these placeholders have one of these dtypes; others may have any.
    std::vector<PlaceholderTypes> where;
};

// A combination of dtypes: one form of the template, and a dtype for each of its placeholders in the
// order in which its parameters name them; none where it has no placeholder.
struct TemplateTypes {
    std::size_t overload = 0;
    std::vector<std::pair<char, DType>> placeholders;

    friend bool operator==(const TemplateTypes&, const TemplateTypes&) = default;
};

enum class TemplateKind : std::uint8_t { elementwise, reduction };

struct TemplateDefinition {
    using Kind = TemplateKind;

    std::string name;         // also of each form's Definition
    std::string description;  // one line
    Kind kind = Kind::elementwise;
    std::vector<TemplateOverload> overloads;  // at least one; the first that fits the inputs wins
    // What is worth compiling ahead: types, distinct and ordered by form, and the names of layouts
    // (template_layouts.hpp). Each combination that is named here is the one that a call would take.
    std::vector<TemplateTypes> types;
    std::vector<std::string> layouts;
    std::vector<std::string> numbers;  // names of inputs that calls give as numbers
    std::string origin;                // the file, as read_templates was given it
};

// "elementwise", "reduction".
std::string_view to_text(TemplateKind kind) noexcept;

// The combinations of `lists` that calls would take, one or none for each form without a placeholder,
// and in the order of TemplateDefinition::types. A placeholder that no list names keeps the dtypes
// that the definition's own types give it, so that a form which has none is left out. With it,
// `kgen compile --types T=float32,float64` replaces what the template says of T.
std::vector<TemplateTypes> expand_types(const TemplateDefinition& definition,
                                        const std::vector<PlaceholderTypes>& lists);

}  // namespace kgen
