// SPDX-License-Identifier: MIT
#include "template/template_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <kgen/error.hpp>
#include <map>

#include "signature/names.hpp"
#include "signature/output_uses.hpp"
#include "template/json_tree.hpp"
#include "template/overload_choice.hpp"
#include "template/template_fields.hpp"
#include "text/ascii_text.hpp"
#include "text/excerpt.hpp"
#include "text/include_scan.hpp"
#include "text/list.hpp"

namespace kgen {

namespace {

constexpr std::size_t longest_description = 200;
constexpr std::size_t most_overloads = 64;

// Sums over all templates of a file. They are limited because a small file can expand to much text and many
// types: overloads inherit texts of their template, and combinations are products of lists.
struct FileTotals {
    static constexpr std::size_t most_text_bytes = 2 * longest_template_file;
    static constexpr std::size_t most_types = 50 * most_combinations;

    std::size_t text_bytes = 0;
    std::size_t types = 0;
};

// The fields of one overload: those of its own object, else those of the template.
class FormFields {
public:
    FormFields(const JsonValue& form, const JsonValue& whole) : form_(form), whole_(whole) {}

    const JsonValue* find(std::string_view name) const {
        const JsonValue* found = find_field(form_, name);
        return found != nullptr ? found : find_field(whole_, name);
    }
    std::string optional_text(std::string_view name) const {
        const JsonValue* found = find(name);
        return found == nullptr ? "" : read_text(*found, fmt::format("field '{}'", name));
    }
    std::string text(std::string_view name) const {
        if (find(name) == nullptr) fail_at(form_, "field '{}' is missing", name);
        return optional_text(name);
    }

private:
    const JsonValue& form_;
    const JsonValue& whole_;
};

class TemplateReader {
public:
    explicit TemplateReader(FileTotals& totals) : totals_(totals) {}

    TemplateDefinition read(const JsonValue& object) {
        expect_kind(object, JsonKind::object, "a template");
        TemplateDefinition made;
        made.origin = object.source->file;
        made.kind = read_kind(object);
        check_fields(object, FieldPlace::template_alone, made.kind);
        made.name = required_string(object, "name");
        if (const JsonValue* aliases = find_field(object, "aliases"))
            made.aliases = read_aliases(*aliases);
        made.description = required_string(object, "description");
        check_description(object, made.description);
        const JsonValue* overloads = find_field(object, "overloads");
        if (overloads == nullptr) {
            add_form(made, object, object);
        } else {
            const auto& forms = elements_of(*overloads, "field 'overloads'");
            if (forms.empty()) fail_at(*overloads, "field 'overloads' is empty");
            check_count(*overloads, forms.size(), "overloads", most_overloads);
            for (const JsonValue& form : forms) {
                expect_kind(form, JsonKind::object, "an overload");
                check_fields(form, FieldPlace::forms_too, made.kind);
                add_form(made, form, object);
            }
        }
        read_compile(made, object);
        totals_.types += made.types.size();
        check_count(
            object, totals_.types, "combinations of types in one file", FileTotals::most_types);
        return made;
    }

private:
    static void check_count(const JsonValue& at,
                            std::size_t count,
                            std::string_view what,
                            std::size_t most) {
        if (count > most) fail_at(at, "more than {} {}", most, what);
    }
    const JsonValue& required(const JsonValue& object, std::string_view name) {
        const JsonValue* found = find_field(object, name);
        if (found == nullptr) fail_at(object, "field '{}' is missing", name);
        return *found;
    }
    const std::string& required_string(const JsonValue& object, std::string_view name) {
        return string_of(required(object, name), fmt::format("field '{}'", name));
    }

    TemplateKind read_kind(const JsonValue& object) {
        const std::string& kind = required_string(object, "kind");
        if (kind == "elementwise") return TemplateKind::elementwise;
        if (kind == "reduction") return TemplateKind::reduction;
        fail_at(required(object, "kind"),
                "unknown kind '{}': expected elementwise or reduction",
                printable(kind));
    }

    void check_description(const JsonValue& object, const std::string& text) {
        if (!text.empty() && !has_control_byte(text) && text.size() <= longest_description) return;
        fail_at(required(object, "description"),
                "field 'description' must be one line of 1 to {} bytes",
                longest_description);
    }

    Accuracy read_accuracy(const FormFields& fields) {
        const JsonValue* value = fields.find("accuracy");
        if (value == nullptr) return Accuracy::plain;
        const std::string& name = string_of(*value, "field 'accuracy'");
        if (name == "plain") return Accuracy::plain;
        if (name == "compensated") return Accuracy::compensated;
        fail_at(*value, "unknown accuracy '{}': expected plain or compensated", printable(name));
    }

    void add_form(TemplateDefinition& made, const JsonValue& form, const JsonValue& whole) {
        const FormFields fields(form, whole);
        TemplateOverload overload;
        Definition& definition = overload.definition;
        definition.name = made.name;
        definition.inputs = fields.text("inputs");
        definition.outputs = fields.text("outputs");
        definition.preamble = fields.optional_text("preamble");
        if (made.kind == TemplateKind::elementwise) {
            definition.operation = fields.text("operation");
            definition.loop_prep = fields.optional_text("loop_prep");
            definition.after_loop = fields.optional_text("after_loop");
        } else {
            definition.operation = fields.text("map");
            definition.reduction =
                ReductionTexts{.reduce = fields.text("reduce"),
                               .post_map = fields.text("post_map"),
                               .identity = fields.optional_text("identity"),
                               .reduce_type = fields.optional_text("accumulator"),
                               .accuracy = read_accuracy(fields)};
        }
        if (const JsonValue* options = fields.find("options"))
            definition.options = read_options(*options);
        for (const CodeText& each : code_texts(definition)) totals_.text_bytes += each.text->size();
        check_count(form,
                    totals_.text_bytes,
                    "bytes in the texts of all overloads",
                    FileTotals::most_text_bytes);
        const JsonValue* where = fields.find("where");
        if (where != nullptr) overload.where = read_placeholder_types(*where, "field 'where'");
        check_form(made, form, overload, where);
        made.overloads.push_back(std::move(overload));
    }

    static std::vector<std::string> names_of(const Signature& signature) {
        std::vector<std::string> names;
        for (const Parameter& parameter : signature.parameters) names.push_back(parameter.name);
        return names;
    }

    static void check_form(const TemplateDefinition& made,
                           const JsonValue& form,
                           TemplateOverload& overload,
                           const JsonValue* where) {
        Signature& signature = overload.signature;
        try {
            signature = parse_signature(overload.definition);
            check_outputs_named(signature);
            signature.lexed.reset();
        } catch (const SignatureError& error) {
            fail_at(form, "{}", error.what());
        }
        for (const PlaceholderTypes& allowed : overload.where) {
            const auto& parameters = signature.parameters;
            const bool is_named =
                std::any_of(parameters.begin(), parameters.end(), [&](const Parameter& each) {
                    return !each.dtype && each.placeholder == allowed.placeholder;
                });
            if (!is_named) {
                fail_at(*where,
                        "template '{}': no parameter has the placeholder '{}' that 'where' names",
                        printable(made.name),
                        allowed.placeholder);
            }
        }
        for (const CodeText& each : code_texts(overload.definition))
            check_includes(made, form, each);
        if (made.overloads.empty()) return;
        const Signature& first = made.overloads.front().signature;
        const std::vector<std::string> names = names_of(signature);
        const std::vector<std::string> expected = names_of(first);
        if (names == expected && signature.input_count == first.input_count) return;
        fail_at(form,
                "template '{}': overload {} has other parameters than overload 1: got {}, "
                "expected {}",
                printable(made.name),
                made.overloads.size() + 1,
                fmt::join(names, ", "),
                fmt::join(expected, ", "));
    }

    // A template file may come from an untrusted source, so it may include only kgen's and the toolkit's
    // headers.
    static void check_includes(const TemplateDefinition& made,
                               const JsonValue& form,
                               const CodeText& text) {
        for (const IncludeUse& use : find_includes(*text.text)) {
            const bool leaves =
                use.name.substr(0, 1) == "/" || use.name.find("..") != use.name.npos;
            if (use.form == IncludeForm::angled && !leaves) continue;
            fail_at(form,
                    "template '{}': the {} includes {}: a template may include only <...>, without "
                    "'..' in the path",
                    printable(made.name),
                    text.label,
                    use.name.empty() ? "the value of a macro"
                                     : fmt::format("'{}'", printable(use.name)));
        }
    }

    void read_compile(TemplateDefinition& made, const JsonValue& object) {
        const JsonValue* compile = find_field(object, "compile");
        made.layouts = {made.kind == TemplateKind::elementwise ? "contiguous" : "full"};
        if (compile == nullptr) {
            made.types = expand_types(made, {});
            return;
        }
        constexpr std::array<std::string_view, 3> known = {"types", "layouts", "numbers"};
        for (const JsonMember& member : members_of(*compile, "field 'compile'")) {
            if (is_one_of(member.key.text, known)) continue;
            fail_at(member.key,
                    "unknown field '{}'; 'compile' has types, layouts and numbers",
                    printable(member.key.text));
        }
        if (const JsonValue* layouts = find_field(*compile, "layouts"))
            made.layouts = read_layouts(*layouts, made.kind);
        if (const JsonValue* numbers = find_field(*compile, "numbers"))
            made.numbers = read_numbers(*numbers, made);
        read_types(made, find_field(*compile, "types"));
    }

    std::vector<TemplateTypes> expand(const TemplateDefinition& made,
                                      const std::vector<PlaceholderTypes>& lists,
                                      const JsonValue& at) {
        try {
            return expand_types(made, lists);
        } catch (const SignatureError& error) {
            fail_at(at, "{}", error.what());
        }
    }

    void read_types(TemplateDefinition& made, const JsonValue* types) {
        if (types == nullptr) {
            made.types = expand_types(made, {});
            return;
        }
        if (types->kind != JsonKind::array) {
            const auto lists = read_placeholder_types(*types, "field 'types'");
            made.types = expand(made, lists, *types);
            for (const PlaceholderTypes& list : lists) {
                for (const DType dtype : list.dtypes) check_taken(made, list, dtype, *types);
            }
            return;
        }
        made.types = expand_types(made, {});
        check_count(*types, types->elements.size(), "combinations of types", most_combinations);
        for (const JsonValue& element : types->elements) {
            const auto lists = read_assignment(element);
            std::size_t taken = 0;
            for (const TemplateTypes& each : expand(made, lists, element)) {
                if (each.placeholders.empty()) continue;
                ++taken;
                add_once(made.types, each);
            }
            if (taken == 0) {
                fail_at(element,
                        "template '{}': no overload accepts this combination of types",
                        made.name);
            }
        }
        std::stable_sort(made.types.begin(), made.types.end(), [](const auto& a, const auto& b) {
            return a.overload < b.overload;
        });
    }

    void check_taken(const TemplateDefinition& made,
                     const PlaceholderTypes& list,
                     DType dtype,
                     const JsonValue& types) {
        for (const TemplateTypes& each : made.types) {
            for (const auto& bound : each.placeholders) {
                if (bound == std::pair(list.placeholder, dtype)) return;
            }
        }
        fail_at(types,
                "template '{}': no overload accepts {} = {}",
                made.name,
                list.placeholder,
                to_text(dtype));
    }

    FileTotals& totals_;
};

// Returns the JSON objects of the templates: the root object itself, or those in {"templates": [...]}.
std::vector<const JsonValue*> template_objects(const JsonValue& root) {
    expect_kind(root, JsonKind::object, "the text");
    const JsonValue* list = find_field(root, "templates");
    if (list == nullptr) return {&root};
    for (const JsonMember& member : root.members) {
        if (member.key.text == "templates" || member.key.text == "$schema") continue;
        fail_at(member.key,
                "unknown field '{}'; expected 'templates' and '$schema'",
                printable(member.key.text));
    }
    std::vector<const JsonValue*> objects;
    for (const JsonValue& element : elements_of(*list, "field 'templates'"))
        objects.push_back(&element);
    return objects;
}

}  // namespace

std::vector<TemplateDefinition> read_templates(std::string_view text, std::string_view file) {
    const JsonText source{text, file};
    JsonValue root = parse_json(source);
    if (root.kind == JsonKind::object) {
        const JsonValue* schema = find_field(root, "$schema");
        if (schema != nullptr) expect_kind(*schema, JsonKind::string, "field '$schema'");
    }
    std::vector<TemplateDefinition> templates;
    FileTotals totals;
    std::map<std::string, std::size_t> offsets;
    for (const JsonValue* object : template_objects(root)) {
        TemplateDefinition made = TemplateReader(totals).read(*object);
        std::vector<std::string> names = made.aliases;
        names.insert(names.begin(), made.name);
        for (const std::string& name : names) {
            const auto [first, is_new] = offsets.emplace(name, object->offset);
            if (!is_new) {
                fail_at(*object,
                        "template '{}' is defined twice: first at line {}",
                        name,
                        position_of(text, first->second).line);
            }
        }
        templates.push_back(std::move(made));
    }
    return templates;
}

std::optional<TemplateDefinition> read_template(std::string_view text,
                                                std::string_view file,
                                                std::string_view name) {
    const JsonText source{text, file};
    const JsonValue root = parse_json(source);
    FileTotals totals;
    for (const JsonValue* object : template_objects(root)) {
        const JsonValue* own = find_field(*object, "name");
        const JsonValue* aliases = find_field(*object, "aliases");
        const bool is_alias = aliases != nullptr && is_one_of(name, read_aliases(*aliases));
        if (is_alias || (own != nullptr && own->text == name))
            return TemplateReader(totals).read(*object);
    }
    return std::nullopt;
}

}  // namespace kgen
