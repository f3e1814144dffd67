// SPDX-License-Identifier: MIT
//
// kgen list: the templates that can be run by name.
#include <fmt/format.h>

#include <algorithm>
#include <kgen/kernel_template.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/text/standard_output.hpp"

namespace kgen::cli {

namespace {

std::string_view kind_name(KernelTemplate::Kind kind) {
    return kind == KernelTemplate::Kind::elementwise ? "elementwise" : "reduction";
}

std::string list_text(const std::vector<TemplateInfo>& templates) {
    std::size_t widest = 0;
    for (const TemplateInfo& each : templates) widest = std::max(widest, each.name.size());
    std::string text;
    for (const TemplateInfo& each : templates) {
        text += fmt::format("{:<{}}  {:<11}  {}{}\n",
                            each.name,
                            widest,
                            kind_name(each.kind),
                            in_line(each.description),
                            each.built_in ? "" : fmt::format(" ({})", in_line(each.origin)));
    }
    return text;
}

nlohmann::ordered_json list_json(const std::vector<TemplateInfo>& templates) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const TemplateInfo& each : templates) {
        list.push_back({{"name", each.name},
                        {"kind", kind_name(each.kind)},
                        {"description", each.description},
                        {"origin", each.origin},
                        {"built_in", each.built_in}});
    }
    return {{"schema", 1}, {"templates", list}};
}

ExitStatus print_list(bool json) {
    const std::vector<TemplateInfo> templates = kernel_templates();
    write_result(json, list_json(templates), list_text(templates));
    return ExitStatus::done;
}

}  // namespace

Command add_list_command(CLI::App& app) {
    auto json = std::make_shared<bool>(false);
    CLI::App* command =
        app.add_subcommand("list", "list the templates that kgen run finds by name");
    command->add_flag("--json", *json, "print one JSON object");
    command->footer(
        "Your own templates are found in the files and directories of KGEN_TEMPLATE_PATH, which "
        "precede\n"
        "kgen's.");
    return {command, [json] { return print_list(*json); }};
}

}  // namespace kgen::cli
