// SPDX-License-Identifier: MIT
#include "template/template_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <kgen/suggestion.hpp>

#include "dtype/dtype_table.hpp"
#include "signature/names.hpp"
#include "template/template_layouts.hpp"
#include "text/ascii_text.hpp"
#include "text/list.hpp"

namespace kgen {

namespace {

using enum FieldPlace;

constexpr std::size_t most_numbers = 4;  // they have 16 subsets, each of which is compiled

constexpr std::array fields = {
    TemplateField{"kind", template_alone},
    TemplateField{"name", template_alone},
    TemplateField{"aliases", template_alone},
    TemplateField{"description", template_alone},
    TemplateField{"inputs", forms_too},
    TemplateField{"outputs", forms_too},
    TemplateField{"operation", forms_too, true, false},
    TemplateField{"map", forms_too, false, true},
    TemplateField{"reduce", forms_too, false, true},
    TemplateField{"post_map", forms_too, false, true},
    TemplateField{"identity", forms_too, false, true},
    TemplateField{"accumulator", forms_too, false, true},
    TemplateField{"accuracy", forms_too, false, true},
    TemplateField{"preamble", forms_too},
    TemplateField{"options", forms_too},
    TemplateField{"loop_prep", forms_too, true, false},
    TemplateField{"after_loop", forms_too, true, false},
    TemplateField{"where", forms_too},
    TemplateField{"overloads", template_alone},
    TemplateField{"compile", template_alone},
    TemplateField{"$schema", template_alone},
};

struct DTypeGroup {
    std::string_view name;
    DType first;
    DType last;
};

constexpr std::array groups = {
    DTypeGroup{"integers", DType::int8, DType::uint64},
    DTypeGroup{"floats", DType::float16, DType::float64},
    DTypeGroup{"complexes", DType::complex64, DType::complex128},
};

// Names of the allowed options, without dashes and values: those in NVRTC's nvrtc.h that affect only
// arithmetic or code generation. -D and -U are checked separately.
constexpr std::array<std::string_view, 11> allowed_options = {"std",
                                                              "use_fast_math",
                                                              "ftz",
                                                              "prec-sqrt",
                                                              "prec-div",
                                                              "fmad",
                                                              "maxrregcount",
                                                              "extra-device-vectorization",
                                                              "restrict",
                                                              "lineinfo",
                                                              "generate-line-info"};

bool is_allowed_option(std::string_view option) {
    if (has_control_byte(option)) return false;
    const std::string_view head = option.substr(0, 2);
    if (head == "-D" || head == "-U") {
        const std::string_view macro = option.substr(2, option.substr(2).find('='));
        return is_identifier(macro);
    }
    const std::size_t start = option.find_first_not_of('-');
    if (start != 1 && start != 2) return false;
    const std::string_view name = option.substr(start, option.substr(start).find('='));
    return is_one_of(name, allowed_options);
}

template <typename Names>
std::string suggestion(std::string_view name, const Names& valid, std::string_view label) {
    const std::string_view nearest = nearest_name(name, valid);
    if (!nearest.empty()) return fmt::format("; did you mean '{}'?", nearest);
    return fmt::format("; {} {}", label, fmt::join(valid, ", "));
}

std::vector<DType> read_dtypes(const JsonValue& value) {
    const std::string& name = string_of(value, "a dtype");
    for (const DTypeGroup& group : groups) {
        if (group.name != name) continue;
        std::vector<DType> dtypes;
        for (int k = static_cast<int>(group.first); k <= static_cast<int>(group.last); ++k)
            dtypes.push_back(static_cast<DType>(k));
        return dtypes;
    }
    const auto dtype = parse_dtype(name);
    if (dtype && to_text(*dtype) == name) return {*dtype};
    std::vector<std::string_view> names;
    for (const DType each : all_dtypes) names.push_back(to_text(each));
    for (const DTypeGroup& group : groups) names.push_back(group.name);
    fail_at(
        value, "unknown dtype '{}'{}", printable(name), suggestion(name, names, "expected one of"));
}

char read_placeholder(const JsonMember& member) {
    const std::string& key = member.key.text;
    if (key.size() == 1 && std::isalpha(static_cast<unsigned char>(key[0])) != 0) return key[0];
    fail_at(member.key, "'{}' is not a placeholder: expected one letter", printable(key));
}

}  // namespace

std::span<const TemplateField> template_fields() noexcept {
    return fields;
}

const JsonValue* find_field(const JsonValue& object, std::string_view name) noexcept {
    for (const JsonMember& member : object.members) {
        if (member.key.text == name) return &member.value;
    }
    return nullptr;
}

void expect_kind(const JsonValue& value, JsonKind kind, const std::string& what) {
    if (value.kind == kind) return;
    fail_at(value, "{} is {}, expected {}", what, describe(value.kind), describe(kind));
}

const std::string& string_of(const JsonValue& value, const std::string& what) {
    expect_kind(value, JsonKind::string, what);
    return value.text;
}

const std::vector<JsonValue>& elements_of(const JsonValue& value, const std::string& what) {
    expect_kind(value, JsonKind::array, what);
    return value.elements;
}

const std::vector<JsonMember>& members_of(const JsonValue& value, const std::string& what) {
    expect_kind(value, JsonKind::object, what);
    return value.members;
}

void check_fields(const JsonValue& object, FieldPlace place, TemplateKind kind) {
    std::vector<std::string_view> valid;
    for (const TemplateField& field : fields) {
        const bool of_kind =
            kind == TemplateKind::elementwise ? field.of_elementwise : field.of_reduction;
        if (of_kind && (place == template_alone || field.place == forms_too))
            valid.push_back(field.name);
    }
    for (const JsonMember& member : object.members) {
        if (is_one_of(member.key.text, valid)) continue;
        const auto known = std::find_if(fields.begin(), fields.end(), [&](const auto& field) {
            return field.name == member.key.text;
        });
        if (known == fields.end()) {
            fail_at(member.key,
                    "unknown field '{}'{}",
                    printable(member.key.text),
                    suggestion(member.key.text, valid, "the fields are"));
        }
        if (place == forms_too && known->place == template_alone) {
            fail_at(member.key,
                    "field '{}' belongs to the template, not to an overload",
                    member.key.text);
        }
        fail_at(member.key,
                "field '{}' is not allowed in a template of kind '{}'",
                member.key.text,
                to_text(kind));
    }
}

std::string read_text(const JsonValue& value, const std::string& what) {
    if (value.kind == JsonKind::string) return value.text;
    if (value.kind != JsonKind::array) {
        fail_at(
            value, "{} is {}, expected a string or an array of lines", what, describe(value.kind));
    }
    std::string text;
    for (const JsonValue& line : value.elements) {
        if (&line != &value.elements.front()) text += '\n';
        text += string_of(line, "a line of " + what);
    }
    return text;
}

std::vector<std::string> read_aliases(const JsonValue& value) {
    std::vector<std::string> aliases;
    for (const JsonValue& alias : elements_of(value, "field 'aliases'")) {
        if (!is_identifier(string_of(alias, "an alias")))
            fail_at(alias, "alias '{}' is not an identifier", printable(alias.text));
        add_once(aliases, alias.text);
    }
    return aliases;
}

std::vector<std::string> read_options(const JsonValue& value) {
    std::vector<std::string> options;
    for (const JsonValue& option : elements_of(value, "field 'options'")) {
        if (!is_allowed_option(string_of(option, "an option"))) {
            fail_at(option,
                    "option '{}' is not allowed in a template; allowed are -D, -U, --{}",
                    printable(option.text),
                    fmt::join(allowed_options, ", --"));
        }
        options.push_back(option.text);
    }
    return options;
}

std::vector<PlaceholderTypes> read_placeholder_types(const JsonValue& object,
                                                     const std::string& what) {
    std::vector<PlaceholderTypes> lists;
    for (const JsonMember& member : members_of(object, what)) {
        PlaceholderTypes list{.placeholder = read_placeholder(member), .dtypes = {}};
        const std::string subject = fmt::format("the list of dtypes of '{}'", member.key.text);
        for (const JsonValue& element : elements_of(member.value, subject)) {
            for (const DType dtype : read_dtypes(element)) add_once(list.dtypes, dtype);
        }
        if (list.dtypes.empty()) {
            fail_at(member.value, "the list of dtypes of '{}' is empty", member.key.text);
        }
        lists.push_back(std::move(list));
    }
    return lists;
}

std::vector<PlaceholderTypes> read_assignment(const JsonValue& object) {
    std::vector<PlaceholderTypes> lists;
    for (const JsonMember& member : members_of(object, "a combination of types")) {
        const char placeholder = read_placeholder(member);
        std::vector<DType> dtypes = read_dtypes(member.value);
        if (dtypes.size() > 1) {
            fail_at(member.value, "'{}' names several dtypes, expected one", member.value.text);
        }
        lists.push_back({placeholder, std::move(dtypes)});
    }
    return lists;
}

std::vector<std::string> read_layouts(const JsonValue& value, TemplateKind kind) {
    std::vector<std::string_view> valid;
    for (const TemplateLayout& layout : layouts_of(kind)) valid.push_back(layout.name);
    std::vector<std::string> layouts;
    for (const JsonValue& element : elements_of(value, "field 'layouts'")) {
        if (!is_one_of(string_of(element, "a layout"), valid)) {
            fail_at(element,
                    "unknown layout '{}'{}",
                    printable(element.text),
                    suggestion(element.text, valid, "expected one of"));
        }
        add_once(layouts, element.text);
    }
    return layouts;
}

std::vector<std::string> read_numbers(const JsonValue& value, const TemplateDefinition& made) {
    const std::vector<JsonValue>& elements = elements_of(value, "field 'numbers'");
    const Signature signature = parse_signature(made.overloads.front().definition);
    std::vector<std::string_view> inputs;
    for (const Parameter& parameter : signature.parameters) {
        if (!parameter.output && !parameter.raw) inputs.push_back(parameter.name);
    }
    if (elements.size() > most_numbers) {
        fail_at(
            value,
            "'numbers' has {} names, expected at most {}, because every subset of them is compiled",
            elements.size(),
            most_numbers);
    }
    std::vector<std::string> numbers;
    for (const JsonValue& element : elements) {
        if (!is_one_of(string_of(element, "a number's name"), inputs)) {
            fail_at(element,
                    "'{}' is not an input that may be a number{}",
                    printable(element.text),
                    suggestion(element.text, inputs, "expected one of"));
        }
        add_once(numbers, element.text);
    }
    return numbers;
}

}  // namespace kgen
