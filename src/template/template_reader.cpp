// SPDX-License-Identifier: MIT
#include "template/template_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <kgen/error.hpp>
#include <map>

#include "signature/names.hpp"
#include "signature/output_uses.hpp"
#include "template/json_tree.hpp"
#include "template/overload_choice.hpp"
#include "template/template_fields.hpp"
#include "text/excerpt.hpp"
#include "text/include_scan.hpp"

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
    FormFields(const JsonText& source, const JsonValue& form, const JsonValue& whole)
        : source_(source), form_(form), whole_(whole) {}

    const JsonValue* find(std::string_view name) const {
        const JsonValue* found = find_field(form_, name);
        return found != nullptr ? found : find_field(whole_, name);
    }
    std::string optional_text(std::string_view name) const {
        const JsonValue* found = find(name);
        return found == nullptr ? "" : read_text(source_, *found, fmt::format("field '{}'", name));
    }
    std::string text(std::string_view name) const {
        if (find(name) == nullptr)
            fail_at(source_, form_.offset, fmt::format("field '{}' is missing", name));
        return optional_text(name);
    }

private:
    const JsonText& source_;
    const JsonValue& form_;
    const JsonValue& whole_;
};

class TemplateReader {
public:
    TemplateReader(const JsonText& source, FileTotals& totals) : source_(source), totals_(totals) {}

    TemplateDefinition read(const JsonValue& object) {
        expect_kind(source_, object, JsonKind::object, "a template");
        TemplateDefinition made;
        made.origin = source_.file;
        made.kind = read_kind(object);
        check_fields(source_, object, FieldPlace::template_alone, made.kind);
        made.name = required_string(object, "name");
        made.description = required_string(object, "description");
        check_description(object, made.description);
        const JsonValue* overloads = find_field(object, "overloads");
        if (overloads == nullptr) {
            add_form(made, object, object);
        } else {
            expect_kind(source_, *overloads, JsonKind::array, "field 'overloads'");
            if (overloads->elements.empty())
                fail_at(source_, overloads->offset, "field 'overloads' is empty");
            if (overloads->elements.size() > most_overloads)
                fail_too_many(overloads->offset, "overloads", most_overloads);
            for (const JsonValue& form : overloads->elements) {
                expect_kind(source_, form, JsonKind::object, "an overload");
                check_fields(source_, form, FieldPlace::forms_too, made.kind);
                add_form(made, form, object);
            }
        }
        read_compile(made, object);
        totals_.types += made.types.size();
        if (totals_.types > FileTotals::most_types) {
            fail_too_many(
                object.offset, "combinations of types in one file", FileTotals::most_types);
        }
        return made;
    }

private:
    [[noreturn]] void fail_too_many(std::size_t offset, std::string_view what, std::size_t most) {
        fail_at(source_, offset, fmt::format("more than {} {}", most, what));
    }
    const JsonValue& required(const JsonValue& object, std::string_view name) {
        const JsonValue* found = find_field(object, name);
        if (found == nullptr)
            fail_at(source_, object.offset, fmt::format("field '{}' is missing", name));
        return *found;
    }
    const std::string& required_string(const JsonValue& object, std::string_view name) {
        const JsonValue& value = required(object, name);
        expect_kind(source_, value, JsonKind::string, fmt::format("field '{}'", name));
        return value.text;
    }

    TemplateKind read_kind(const JsonValue& object) {
        const std::string& kind = required_string(object, "kind");
        if (kind == "elementwise") return TemplateKind::elementwise;
        if (kind == "reduction") return TemplateKind::reduction;
        fail_at(
            source_,
            required(object, "kind").offset,
            fmt::format("unknown kind '{}': expected elementwise or reduction", printable(kind)));
    }

    void check_description(const JsonValue& object, const std::string& text) {
        const bool has_control_byte = std::any_of(text.begin(), text.end(), [](char letter) {
            return static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f;
        });
        if (!text.empty() && !has_control_byte && text.size() <= longest_description) return;
        fail_at(source_,
                required(object, "description").offset,
                fmt::format("field 'description' must be one line of 1 to {} bytes",
                            longest_description));
    }

    Accuracy read_accuracy(const FormFields& fields) {
        const JsonValue* value = fields.find("accuracy");
        if (value == nullptr) return Accuracy::plain;
        expect_kind(source_, *value, JsonKind::string, "field 'accuracy'");
        if (value->text == "plain") return Accuracy::plain;
        if (value->text == "compensated") return Accuracy::compensated;
        fail_at(source_,
                value->offset,
                fmt::format("unknown accuracy '{}': expected plain or compensated",
                            printable(value->text)));
    }

    void add_form(TemplateDefinition& made, const JsonValue& form, const JsonValue& whole) {
        const FormFields fields(source_, form, whole);
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
            definition.options = read_options(source_, *options);
        for (const CodeText& each : code_texts(definition)) totals_.text_bytes += each.text->size();
        if (totals_.text_bytes > FileTotals::most_text_bytes) {
            fail_too_many(
                form.offset, "bytes in the texts of all overloads", FileTotals::most_text_bytes);
        }
        const JsonValue* where = fields.find("where");
        if (where != nullptr)
            overload.where = read_placeholder_types(source_, *where, "field 'where'");
        check_form(made, form, overload, where);
        made.overloads.push_back(std::move(overload));
    }

    void check_form(const TemplateDefinition& made,
                    const JsonValue& form,
                    TemplateOverload& overload,
                    const JsonValue* where) {
        const auto fail = [&](std::size_t offset, const std::string& problem) {
            fail_at(
                source_, offset, fmt::format("template '{}': {}", printable(made.name), problem));
        };
        Signature& signature = overload.signature;
        try {
            signature = parse_signature(overload.definition);
            check_outputs_named(signature);
        } catch (const SignatureError& error) {
            fail_at(source_, form.offset, error.what());
        }
        for (const PlaceholderTypes& allowed : overload.where) {
            const auto& parameters = signature.parameters;
            const bool is_named =
                std::any_of(parameters.begin(), parameters.end(), [&](const Parameter& each) {
                    return !each.dtype && each.placeholder == allowed.placeholder;
                });
            if (!is_named) {
                fail(where->offset,
                     fmt::format("no parameter has the placeholder '{}' that 'where' names",
                                 allowed.placeholder));
            }
        }
        for (const CodeText& each : code_texts(overload.definition))
            check_includes(made, form, each);
        std::vector<std::string> names;
        for (const Parameter& parameter : signature.parameters) names.push_back(parameter.name);
        if (made.overloads.empty()) {
            names_ = std::move(names);
            input_count_ = signature.input_count;
        } else if (names != names_ || signature.input_count != input_count_) {
            fail(
                form.offset,
                fmt::format("overload {} has other parameters than overload 1: got {}, expected {}",
                            made.overloads.size() + 1,
                            fmt::join(names, ", "),
                            fmt::join(names_, ", ")));
        }
    }

    // A template file may come from an untrusted source, so it may include only kgen's and the toolkit's
    // headers.
    void check_includes(const TemplateDefinition& made,
                        const JsonValue& form,
                        const CodeText& text) {
        for (const IncludeUse& use : find_includes(*text.text)) {
            const bool leaves =
                use.name.substr(0, 1) == "/" || use.name.find("..") != use.name.npos;
            if (use.form == IncludeForm::angled && !leaves) continue;
            fail_at(source_,
                    form.offset,
                    fmt::format("template '{}': the {} includes {}: a template may include only "
                                "<...>, without '..' in the path",
                                printable(made.name),
                                text.label,
                                use.name.empty() ? "the value of a macro"
                                                 : fmt::format("'{}'", printable(use.name))));
        }
    }

    void read_compile(TemplateDefinition& made, const JsonValue& object) {
        const JsonValue* compile = find_field(object, "compile");
        made.layouts = {made.kind == TemplateKind::elementwise ? "contiguous" : "full"};
        if (compile == nullptr) {
            made.types = expand_types(made, {});
            return;
        }
        expect_kind(source_, *compile, JsonKind::object, "field 'compile'");
        for (const JsonMember& member : compile->members) {
            if (member.key == "types" || member.key == "layouts" || member.key == "numbers")
                continue;
            fail_at(source_,
                    member.key_offset,
                    fmt::format("unknown field '{}'; 'compile' has types, layouts and numbers",
                                printable(member.key)));
        }
        if (const JsonValue* layouts = find_field(*compile, "layouts"))
            made.layouts = read_layouts(source_, *layouts, made.kind);
        if (const JsonValue* numbers = find_field(*compile, "numbers"))
            made.numbers = read_numbers(source_, *numbers, made);
        read_types(made, find_field(*compile, "types"));
    }

    std::vector<TemplateTypes> expand(const TemplateDefinition& made,
                                      const std::vector<PlaceholderTypes>& lists,
                                      std::size_t offset) {
        try {
            return expand_types(made, lists);
        } catch (const SignatureError& error) {
            fail_at(source_, offset, error.what());
        }
    }

    void read_types(TemplateDefinition& made, const JsonValue* types) {
        if (types == nullptr) {
            made.types = expand_types(made, {});
            return;
        }
        if (types->kind != JsonKind::array) {
            const auto lists = read_placeholder_types(source_, *types, "field 'types'");
            made.types = expand(made, lists, types->offset);
            for (const PlaceholderTypes& list : lists) {
                for (const DType dtype : list.dtypes) check_taken(made, list, dtype, *types);
            }
            return;
        }
        made.types = expand_types(made, {});
        if (types->elements.size() > most_combinations)
            fail_too_many(types->offset, "combinations of types", most_combinations);
        for (const JsonValue& element : types->elements) {
            const auto lists = read_assignment(source_, element);
            std::size_t taken = 0;
            for (const TemplateTypes& each : expand(made, lists, element.offset)) {
                if (each.placeholders.empty()) continue;
                ++taken;
                if (std::find(made.types.begin(), made.types.end(), each) == made.types.end())
                    made.types.push_back(each);
            }
            if (taken == 0) {
                fail_at(source_,
                        element.offset,
                        fmt::format("template '{}': no overload accepts this combination of types",
                                    made.name));
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
        fail_at(source_,
                types.offset,
                fmt::format("template '{}': no overload accepts {} = {}",
                            made.name,
                            list.placeholder,
                            to_text(dtype)));
    }

    const JsonText& source_;
    std::vector<std::string> names_;  // of the parameters of the first overload
    int input_count_ = 0;
    FileTotals& totals_;
};

// Returns the JSON objects of the templates: the root object itself, or those in {"templates": [...]}.
std::vector<const JsonValue*> template_objects(const JsonText& source, const JsonValue& root) {
    expect_kind(source, root, JsonKind::object, "the text");
    const JsonValue* list = find_field(root, "templates");
    if (list == nullptr) return {&root};
    for (const JsonMember& member : root.members) {
        if (member.key == "templates" || member.key == "$schema") continue;
        fail_at(source,
                member.key_offset,
                fmt::format("unknown field '{}'; expected 'templates' and '$schema'",
                            printable(member.key)));
    }
    expect_kind(source, *list, JsonKind::array, "field 'templates'");
    std::vector<const JsonValue*> objects;
    for (const JsonValue& element : list->elements) objects.push_back(&element);
    return objects;
}

}  // namespace

std::vector<TemplateDefinition> read_templates(std::string_view text, std::string_view file) {
    const JsonText source{text, file};
    JsonValue root = parse_json(source);
    if (root.kind == JsonKind::object) {
        const JsonValue* schema = find_field(root, "$schema");
        if (schema != nullptr) expect_kind(source, *schema, JsonKind::string, "field '$schema'");
    }
    std::vector<TemplateDefinition> templates;
    FileTotals totals;
    std::map<std::string, std::size_t> offsets;
    for (const JsonValue* object : template_objects(source, root)) {
        TemplateDefinition made = TemplateReader(source, totals).read(*object);
        const auto [first, is_new] = offsets.emplace(made.name, object->offset);
        if (!is_new) {
            fail_at(source,
                    object->offset,
                    fmt::format("template '{}' is defined twice: first at line {}",
                                made.name,
                                position_of(text, first->second).line));
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
    for (const JsonValue* object : template_objects(source, root)) {
        const JsonValue* own = find_field(*object, "name");
        if (own != nullptr && own->text == name)
            return TemplateReader(source, totals).read(*object);
    }
    return std::nullopt;
}

}  // namespace kgen
