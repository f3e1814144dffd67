// SPDX-License-Identifier: MIT
//
// kgen show: the contents of a template.
#include <fmt/format.h>

#include <kgen/kernel_template.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/commands/commands.hpp"
#include "cli/options/kernel_options.hpp"
#include "cli/text/standard_output.hpp"

namespace kgen::cli {

namespace {

using Json = nlohmann::ordered_json;

struct ShowOptions {
    std::string name;
    std::optional<std::string> file;
    bool json = false;
};

// Returns "T = float32 | float64, U = int32" for {"T": ["float32", "float64"], "U": "int32"}.
std::string types_text(const Json& types) {
    std::string text;
    for (const auto& [letter, dtypes] : types.items()) {
        text += fmt::format("{}{} = ", text.empty() ? "" : ", ", letter);
        if (dtypes.is_array()) {
            text += fmt::format("{}", fmt::join(dtypes.get<std::vector<std::string>>(), " | "));
        } else {
            text += dtypes.get<std::string>();
        }
    }
    return text;
}

std::string field_text(const std::string& field, const Json& value) {
    if (field == "where") return types_text(value);
    if (value.is_array())
        return fmt::format("{}", fmt::join(value.get<std::vector<std::string>>(), " "));
    return value.get<std::string>();
}

std::string show_text(const KernelTemplate& shown, const Json& fields) {
    std::string text = labelled("name", 12, shown.name());
    if (fields.contains("aliases"))
        text += labelled("aliases", 12, field_text("aliases", fields["aliases"]));
    text += labelled("description", 12, in_line(shown.description()));
    text += labelled("kind", 12, fields["kind"].get<std::string>());
    text += labelled("origin", 12, in_line(shown.origin()));
    for (const Json& form : fields["overloads"]) {
        if (shown.overload_count() > 1) text += "\n";
        for (const auto& [field, value] : form.items())
            text += labelled(field, 12, field_text(field, value));
    }
    if (shown.overload_count() > 1) text += "\n";
    std::string types;
    for (const Json& combination : fields["compile"]["types"])
        types += (types.empty() ? "" : "\n") + types_text(combination);
    if (!types.empty()) text += labelled("compiled for", 12, types);
    return text + labelled("layouts", 12, field_text("layouts", fields["compile"]["layouts"]));
}

ExitStatus show(const ShowOptions& options) {
    const KernelTemplate shown = find_template(options.file, options.name);
    const Json fields = Json::parse(shown.json());
    write_result(options.json,
                 Json{{"schema", 1}, {"origin", shown.origin()}, {"template", fields}},
                 show_text(shown, fields));
    return ExitStatus::done;
}

}  // namespace

Command add_show_command(CLI::App& app) {
    auto options = std::make_shared<ShowOptions>();
    CLI::App* command = app.add_subcommand(
        "show", "print the strings of a template, and the types and layouts to compile it for");
    command->add_option("name", options->name, "its name, see kgen list")->type_name("TEMPLATE");
    add_template_file(*command, options->file);
    command->add_flag("--json", options->json, "print one JSON object");
    command->footer("With --json the object 'template' is in the format of template files.");
    return {command, [options] {
                if (options->name.empty() && !options->file)
                    throw UsageError("the template is missing; give its name, see kgen list");
                return show(*options);
            }};
}

}  // namespace kgen::cli
