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

namespace kgen {

namespace {

using enum FieldPlace;

constexpr std::size_t most_numbers = 4;  // they have 16 subsets, each of which is compiled

constexpr std::array fields = {
    TemplateField{"kind", template_alone},
    TemplateField{"name", template_alone},
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

bool has_control_byte(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](char letter) {
        const auto byte = static_cast<unsigned char>(letter);
        return byte < 0x20 || byte == 0x7f;
    });
}

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
    return std::find(allowed_options.begin(), allowed_options.end(), name) != allowed_options.end();
}

template <typename Names>
std::string suggestion(std::string_view name, const Names& valid, std::string_view label) {
    const std::string_view nearest = nearest_name(name, valid);
    if (!nearest.empty()) return fmt::format("; did you mean '{}'?", nearest);
    return fmt::format("; {} {}", label, fmt::join(valid, ", "));
}

std::vector<DType> read_dtypes(const JsonText& source, const JsonValue& value) {
    expect_kind(source, value, JsonKind::string, "a dtype");
    for (const DTypeGroup& group : groups) {
        if (group.name != value.text) continue;
        std::vector<DType> dtypes;
        for (int k = static_cast<int>(group.first); k <= static_cast<int>(group.last); ++k)
            dtypes.push_back(static_cast<DType>(k));
        return dtypes;
    }
    const auto dtype = parse_dtype(value.text);
    if (dtype && to_text(*dtype) == value.text) return {*dtype};
    std::vector<std::string_view> names;
    for (const DType each : all_dtypes) names.push_back(to_text(each));
    for (const DTypeGroup& group : groups) names.push_back(group.name);
    fail_at(source,
            value.offset,
            fmt::format("unknown dtype '{}'{}",
                        printable(value.text),
                        suggestion(value.text, names, "expected one of")));
}

char read_placeholder(const JsonText& source, const JsonMember& member) {
    const bool is_letter =
        member.key.size() == 1 && std::isalpha(static_cast<unsigned char>(member.key[0])) != 0;
    if (is_letter) return member.key[0];
    fail_at(source,
            member.key_offset,
            fmt::format("'{}' is not a placeholder: expected one letter", printable(member.key)));
}

}  // namespace

std::span<const TemplateField> template_fields() noexcept {
    return fields;
}

const JsonValue* find_field(const JsonValue& object, std::string_view name) noexcept {
    for (const JsonMember& member : object.members) {
        if (member.key == name) return &member.value;
    }
    return nullptr;
}

void expect_kind(const JsonText& source,
                 const JsonValue& value,
                 JsonKind kind,
                 const std::string& what) {
    if (value.kind == kind) return;
    fail_at(source,
            value.offset,
            fmt::format("{} is {}, expected {}", what, describe(value.kind), describe(kind)));
}

void check_fields(const JsonText& source,
                  const JsonValue& object,
                  FieldPlace place,
                  TemplateKind kind) {
    std::vector<std::string_view> valid;
    for (const TemplateField& field : fields) {
        const bool of_kind =
            kind == TemplateKind::elementwise ? field.of_elementwise : field.of_reduction;
        if (of_kind && (place == template_alone || field.place == forms_too))
            valid.push_back(field.name);
    }
    for (const JsonMember& member : object.members) {
        if (std::find(valid.begin(), valid.end(), member.key) != valid.end()) continue;
        const auto known = std::find_if(fields.begin(), fields.end(), [&](const auto& field) {
            return field.name == member.key;
        });
        if (known == fields.end()) {
            fail_at(source,
                    member.key_offset,
                    fmt::format("unknown field '{}'{}",
                                printable(member.key),
                                suggestion(member.key, valid, "the fields are")));
        }
        if (place == forms_too && known->place == template_alone) {
            fail_at(
                source,
                member.key_offset,
                fmt::format("field '{}' belongs to the template, not to an overload", member.key));
        }
        fail_at(
            source,
            member.key_offset,
            fmt::format(
                "field '{}' is not allowed in a template of kind '{}'", member.key, to_text(kind)));
    }
}

std::string read_text(const JsonText& source, const JsonValue& value, const std::string& what) {
    if (value.kind == JsonKind::string) return value.text;
    if (value.kind != JsonKind::array) {
        fail_at(
            source,
            value.offset,
            fmt::format(
                "{} is {}, expected a string or an array of lines", what, describe(value.kind)));
    }
    std::string text;
    for (const JsonValue& line : value.elements) {
        expect_kind(source, line, JsonKind::string, "a line of " + what);
        if (&line != &value.elements.front()) text += '\n';
        text += line.text;
    }
    return text;
}

std::vector<std::string> read_options(const JsonText& source, const JsonValue& value) {
    expect_kind(source, value, JsonKind::array, "field 'options'");
    std::vector<std::string> options;
    for (const JsonValue& option : value.elements) {
        expect_kind(source, option, JsonKind::string, "an option");
        if (!is_allowed_option(option.text)) {
            fail_at(
                source,
                option.offset,
                fmt::format("option '{}' is not allowed in a template; allowed are -D, -U, --{}",
                            printable(option.text),
                            fmt::join(allowed_options, ", --")));
        }
        options.push_back(option.text);
    }
    return options;
}

std::vector<PlaceholderTypes> read_placeholder_types(const JsonText& source,
                                                     const JsonValue& object,
                                                     const std::string& what) {
    expect_kind(source, object, JsonKind::object, what);
    std::vector<PlaceholderTypes> lists;
    for (const JsonMember& member : object.members) {
        PlaceholderTypes list{.placeholder = read_placeholder(source, member), .dtypes = {}};
        expect_kind(source,
                    member.value,
                    JsonKind::array,
                    fmt::format("the list of dtypes of '{}'", member.key));
        for (const JsonValue& element : member.value.elements) {
            for (const DType dtype : read_dtypes(source, element)) {
                const bool is_new =
                    std::find(list.dtypes.begin(), list.dtypes.end(), dtype) == list.dtypes.end();
                if (is_new) list.dtypes.push_back(dtype);
            }
        }
        if (list.dtypes.empty()) {
            fail_at(source,
                    member.value.offset,
                    fmt::format("the list of dtypes of '{}' is empty", member.key));
        }
        lists.push_back(std::move(list));
    }
    return lists;
}

std::vector<PlaceholderTypes> read_assignment(const JsonText& source, const JsonValue& object) {
    expect_kind(source, object, JsonKind::object, "a combination of types");
    std::vector<PlaceholderTypes> lists;
    for (const JsonMember& member : object.members) {
        const char placeholder = read_placeholder(source, member);
        std::vector<DType> dtypes = read_dtypes(source, member.value);
        if (dtypes.size() > 1) {
            fail_at(source,
                    member.value.offset,
                    fmt::format("'{}' names several dtypes, expected one", member.value.text));
        }
        lists.push_back({placeholder, std::move(dtypes)});
    }
    return lists;
}

std::vector<std::string> read_layouts(const JsonText& source,
                                      const JsonValue& value,
                                      TemplateKind kind) {
    expect_kind(source, value, JsonKind::array, "field 'layouts'");
    std::vector<std::string_view> valid;
    for (const TemplateLayout& layout : layouts_of(kind)) valid.push_back(layout.name);
    std::vector<std::string> layouts;
    for (const JsonValue& element : value.elements) {
        expect_kind(source, element, JsonKind::string, "a layout");
        if (std::find(valid.begin(), valid.end(), element.text) == valid.end()) {
            fail_at(source,
                    element.offset,
                    fmt::format("unknown layout '{}'{}",
                                printable(element.text),
                                suggestion(element.text, valid, "expected one of")));
        }
        const bool is_new =
            std::find(layouts.begin(), layouts.end(), element.text) == layouts.end();
        if (is_new) layouts.push_back(element.text);
    }
    return layouts;
}

std::vector<std::string> read_numbers(const JsonText& source,
                                      const JsonValue& value,
                                      const TemplateDefinition& made) {
    expect_kind(source, value, JsonKind::array, "field 'numbers'");
    const Signature signature = parse_signature(made.overloads.front().definition);
    std::vector<std::string_view> inputs;
    for (const Parameter& parameter : signature.parameters) {
        if (!parameter.output && !parameter.raw) inputs.push_back(parameter.name);
    }
    if (value.elements.size() > most_numbers) {
        fail_at(source,
                value.offset,
                fmt::format("'numbers' has {} names, expected at most {}, because every subset of "
                            "them is compiled",
                            value.elements.size(),
                            most_numbers));
    }
    std::vector<std::string> numbers;
    for (const JsonValue& element : value.elements) {
        expect_kind(source, element, JsonKind::string, "a number's name");
        if (std::find(inputs.begin(), inputs.end(), element.text) == inputs.end()) {
            fail_at(source,
                    element.offset,
                    fmt::format("'{}' is not an input that may be a number{}",
                                printable(element.text),
                                suggestion(element.text, inputs, "expected one of")));
        }
        if (std::find(numbers.begin(), numbers.end(), element.text) == numbers.end())
            numbers.push_back(element.text);
    }
    return numbers;
}

}  // namespace kgen
