// SPDX-License-Identifier: MIT
#include "cli/tree/command_tree.hpp"

#include <sstream>

namespace kgen::cli {

namespace {

OptionText describe_option(const CLI::Option& option) {
    OptionText text;
    for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
    for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
    const bool is_flag = option.get_items_expected_min() == 0;
    text.value_count = is_flag ? 0 : option.get_type_size_max();
    text.description = option.get_description();
    text.is_required = option.get_required();
    text.is_repeatable = option.get_expected_max() > 1;
    if (text.value_count == 0) return text;
    // CLI11 adds the names of the checks to that of the value: "ORDER:{lru,size,name}".
    const std::string name = option.get_type_name();
    const std::size_t open = name.find(":{");
    text.value = name.substr(0, name.find(':'));
    const bool is_list = open != std::string::npos;
    const bool is_literal =
        text.value.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string::npos;
    if (!is_list && !is_literal) return text;  // "plain|compensated" is literal
    std::istringstream choices(is_list ? name.substr(open + 2, name.find('}', open) - open - 2)
                                       : text.value);
    for (std::string choice; std::getline(choices, choice, is_list ? ',' : '|');)
        text.choices.push_back(choice);
    return text;
}

}  // namespace

std::string full_name(const CLI::App& app) {
    const CLI::App* parent = app.get_parent();
    return (parent == nullptr ? "" : full_name(*parent) + " ") + app.get_name();
}

CommandText describe_command(const CLI::App& app) {
    CommandText text{.name = full_name(app),
                     .description = app.get_description(),
                     .footer = app.get_footer(),
                     .options = {},
                     .arguments = {},
                     .commands = {}};
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_group().empty()) continue;
        (option->get_positional() ? text.arguments : text.options)
            .push_back(describe_option(*option));
    }
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        text.commands.push_back(describe_command(*command));
    return text;
}

}  // namespace kgen::cli
