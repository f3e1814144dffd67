// SPDX-License-Identifier: MIT
//
// kgen list: the templates that can be run by name.
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstdio>
#include <kgen/kernel_template.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/text/standard_output.hpp"

namespace kgen::cli {

namespace {

struct TemplateListOptions {
    std::string pattern;
    std::string kind;
    bool signatures = false;
    bool json = false;
};

std::string_view kind_name(KernelTemplate::Kind kind) {
    return kind == KernelTemplate::Kind::elementwise ? "elementwise" : "reduction";
}

// A pattern without '*', '?' and '[' is a part of the name.
bool matches(const std::string& name, const std::string& pattern) {
    if (pattern.find_first_of("*?[") == std::string::npos)
        return name.find(pattern) != std::string::npos;
    return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

std::vector<TemplateInfo> find_matching(const TemplateListOptions& options) {
    std::vector<TemplateInfo> found = kernel_templates();
    std::erase_if(found, [&](const TemplateInfo& each) {
        return !matches(each.name, options.pattern) ||
               (!options.kind.empty() && kind_name(each.kind) != options.kind);
    });
    return found;
}

std::string list_text(const std::vector<TemplateInfo>& templates, bool signatures) {
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
        if (!signatures) continue;
        for (const std::string& signature : kernel_template(each.name).signatures())
            text += fmt::format("{:<{}}  {}\n", "", widest, signature);
    }
    return text;
}

nlohmann::ordered_json list_json(const std::vector<TemplateInfo>& templates, bool signatures) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const TemplateInfo& each : templates) {
        list.push_back({{"name", each.name},
                        {"kind", kind_name(each.kind)},
                        {"description", each.description},
                        {"origin", each.origin},
                        {"built_in", each.built_in}});
        if (signatures) list.back()["signatures"] = kernel_template(each.name).signatures();
    }
    return {{"schema", 1}, {"templates", list}};
}

ExitStatus print_list(const TemplateListOptions& options) {
    const std::vector<TemplateInfo> templates = find_matching(options);
    options.json ? write_json(list_json(templates, options.signatures))
                 : write_text(list_text(templates, options.signatures));
    if (!templates.empty()) return ExitStatus::done;
    std::fprintf(stderr,
                 "kgen: no %s%stemplate matches '%s'\n",
                 options.kind.c_str(),
                 options.kind.empty() ? "" : " ",
                 in_line(options.pattern).c_str());
    return ExitStatus::problems;
}

}  // namespace

Command add_list_command(CLI::App& app) {
    auto options = std::make_shared<TemplateListOptions>();
    CLI::App* command =
        app.add_subcommand("list", "list the templates that kgen run finds by name");
    command
        ->add_option(
            "pattern", options->pattern, "a part of the names, or a pattern such as 'arg*'")
        ->type_name("PATTERN");
    command->add_option("--kind", options->kind, "only templates of this kind")
        ->check(CLI::IsMember({"elementwise", "reduction"}))
        ->type_name("KIND");
    command->add_flag("--signatures",
                      options->signatures,
                      "also print the parameters and dtypes, a line for each overload");
    command->add_flag("--json", options->json, "print one JSON object");
    command->footer(
        "Your own templates are found in the files and directories of KGEN_TEMPLATE_PATH, which "
        "precede\n"
        "kgen's. Exit status 1 if no template matches.");
    return {command, [options] { return print_list(*options); }};
}

}  // namespace kgen::cli
