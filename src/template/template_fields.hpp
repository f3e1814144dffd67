// SPDX-License-Identifier: MIT
//
// The fields of a template file, and functions that read their values into C++ types.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "template/json_tree.hpp"
#include "template/template_definition.hpp"

namespace kgen {

// Objects that may have a field: the template alone, or its overloads (forms) too.
enum class FieldPlace : std::uint8_t { template_alone, forms_too };

struct TemplateField {
    std::string_view name;
    FieldPlace place = FieldPlace::forms_too;
    bool of_elementwise = true;
    bool of_reduction = true;
};

std::span<const TemplateField> template_fields() noexcept;

// Returns the value of a field, or nullptr if the object does not have the field.
const JsonValue* find_field(const JsonValue& object, std::string_view name) noexcept;

// All functions below throw SignatureError with the place if a value has the wrong JSON kind or is invalid.

// Throw unless the value has the kind. `what` names the value in the message: "field 'name'".
void expect_kind(const JsonValue& value, JsonKind kind, const std::string& what);
const std::string& string_of(const JsonValue& value, const std::string& what);
const std::vector<JsonValue>& elements_of(const JsonValue& value, const std::string& what);
const std::vector<JsonMember>& members_of(const JsonValue& value, const std::string& what);

// Throws if the object has a field that is not allowed at this place. The message suggests the nearest name.
void check_fields(const JsonValue& object, FieldPlace place, TemplateKind kind);

// Reads a string, or an array of strings that are joined as lines.
std::string read_text(const JsonValue& value, const std::string& what);

// Reads an array of identifiers. Repeated ones are dropped.
std::vector<std::string> read_aliases(const JsonValue& value);

// Reads an array of compiler options. A template may only use options that cannot read or write a file:
// macros, the standard, and those that affect arithmetic or code generation.
std::vector<std::string> read_options(const JsonValue& value);

// Reads {"T": ["float32", "integers"]}: dtypes and names of groups of dtypes. Repeated dtypes are dropped.
std::vector<PlaceholderTypes> read_placeholder_types(const JsonValue& object,
                                                     const std::string& what);

// Reads {"T": "float32"}: exactly one dtype for each placeholder.
std::vector<PlaceholderTypes> read_assignment(const JsonValue& object);

// Reads an array of layout names (template_layouts.hpp). Repeated names are dropped.
std::vector<std::string> read_layouts(const JsonValue& value, TemplateKind kind);

// Reads an array of the names of inputs that calls pass as numbers: at most 4, because each subset of them
// is compiled.
std::vector<std::string> read_numbers(const JsonValue& value, const TemplateDefinition& made);

}  // namespace kgen
