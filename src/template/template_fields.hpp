// SPDX-License-Identifier: MIT
//
// The fields of a template file: which there are, and their values as C++ types.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "template/json_tree.hpp"
#include "template/template_definition.hpp"

namespace kgen {

// Which objects may have a field.
enum class FieldPlace : std::uint8_t { template_alone, forms_too };

struct TemplateField {
    std::string_view name;
    FieldPlace place = FieldPlace::forms_too;
    bool of_elementwise = true;
    bool of_reduction = true;
};

std::span<const TemplateField> template_fields() noexcept;

// Nothing is nullptr where the object lacks the field.
const JsonValue* find_field(const JsonValue& object, std::string_view name) noexcept;

// All of these throw SignatureError with the place, for a value that is of another kind or reads as none.

// `what` names the value in the message: "field 'name'".
void expect_kind(const JsonText& source,
                 const JsonValue& value,
                 JsonKind kind,
                 const std::string& what);

// Refuses fields that objects at this place have not, with the nearest name.
void check_fields(const JsonText& source,
                  const JsonValue& object,
                  FieldPlace place,
                  TemplateKind kind);

// A string, or the strings of an array as lines.
std::string read_text(const JsonText& source, const JsonValue& value, const std::string& what);

// An array of strings that are options a template may name: macros, the standard, the arithmetic. None
// reads or writes a file.
std::vector<std::string> read_options(const JsonText& source, const JsonValue& value);

// {"T": ["float32", "integers"]}: dtypes and the names of groups of them, each dtype once.
std::vector<PlaceholderTypes> read_placeholder_types(const JsonText& source,
                                                     const JsonValue& object,
                                                     const std::string& what);

// {"T": "float32"}.
std::vector<PlaceholderTypes> read_assignment(const JsonText& source, const JsonValue& object);

// The names of layouts, each once.
std::vector<std::string> read_layouts(const JsonText& source,
                                      const JsonValue& value,
                                      TemplateKind kind);

// The names of inputs that calls give as numbers.
std::vector<std::string> read_numbers(const JsonText& source,
                                      const JsonValue& value,
                                      const TemplateDefinition& made);

}  // namespace kgen
