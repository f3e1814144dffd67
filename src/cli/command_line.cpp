// SPDX-License-Identifier: MIT
#include "cli/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <kgen/system.hpp>
#include <string>

#include "cli/commands/commands.hpp"
#include "cli/text/standard_output.hpp"
#include "cli/tree/command_tree.hpp"
#include "cli/tree/complete_words.hpp"

namespace kgen::cli {

namespace {

// Returns the command that the arguments before the first option name. Throws if one of them is not a
// command, or if no command is named.
const CLI::App& named_command(const CLI::App& app, const std::vector<std::string>& arguments) {
    const auto any = [](const CLI::App*) { return true; };
    const CLI::App* command = &app;
    for (const std::string& argument : arguments) {
        std::vector<std::string> names;
        const CLI::App* next = nullptr;
        for (const CLI::App* sub : command->get_subcommands(any)) {
            names.push_back(sub->get_name());
            if (sub->get_name() == argument) next = sub;
        }
        if (names.empty() || argument.substr(0, 1) == "-") return *command;
        if (next == nullptr) {
            const std::string hint = did_you_mean(argument, names);
            throw UsageError(fmt::format(
                "unknown command '{}'{}",
                argument,
                hint.empty() ? fmt::format("; see {} --help", full_name(*command)) : hint));
        }
        command = next;
    }
    if (!command->get_subcommands(any).empty()) {
        throw UsageError(fmt::format("a command is missing; see {} --help", full_name(*command)));
    }
    return *command;
}

[[noreturn]] void fail_extra(const CLI::App& command, const std::string& extra) {
    const std::string written = extra.substr(0, extra.find('='));
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    const std::string hint = did_you_mean(written, names);
    throw UsageError(
        fmt::format("unknown {} '{}'{}",
                    extra.substr(0, 1) == "-" ? "option" : "argument",
                    written,
                    hint.empty() ? fmt::format("; see {} --help", full_name(command)) : hint));
}

[[noreturn]] void fail_reading(const CLI::App& command, const CLI::ParseError& error) {
    if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
        const std::vector<std::string> extras = command.remaining();
        if (!extras.empty()) fail_extra(command, extras.front());
    }
    for (const CLI::Option* option : command.get_options()) {
        if (option->get_lnames().empty() || option->get_expected_max() != 1 ||
            static_cast<int>(option->results().size()) <= option->get_items_expected_max())
            continue;
        throw UsageError(fmt::format("--{} is given twice; see {} --help",
                                     option->get_lnames().front(),
                                     full_name(command)));
    }
    std::string message = error.what();
    if (!message.empty())
        message[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(message[0])));
    throw UsageError(fmt::format("{}; see {} --help", message, full_name(command)));
}

}  // namespace

ExitStatus run_command_line(int argument_count, char** arguments) {
    CLI::App app("GPU kernels from strings, on CUDA devices and on the host.", "kgen");
    app.set_help_flag("-h,--help", "print this help");
    app.set_version_flag("--version", "kgen " + version(), "print the version");
    app.footer(
        "Exit status: 0 done, 1 problems found, 2 usage or bad input, 3 input or output,\n"
        "4 compile error, 5 no such device, 70 device fault.\n"
        "Results go to stdout, messages to stderr. If the reader of stdout goes, as in kgen list "
        "|\n"
        "head -1, kgen ends by SIGPIPE without a message. KGEN_LOG=debug shows each step.");
    std::vector<Command> commands;
    for (const auto add : {&add_run_command,
                           &add_source_command,
                           &add_explain_command,
                           &add_list_command,
                           &add_show_command,
                           &add_cache_path_command,
                           &add_cache_stats_command,
                           &add_cache_list_command,
                           &add_cache_inspect_command,
                           &add_cache_verify_command,
                           &add_cache_prune_command,
                           &add_cache_clear_command,
                           &add_cache_export_command,
                           &add_cache_import_command,
                           &add_doctor_command,
                           &add_compile_command,
                           &add_bench_command,
                           &add_completion_command,
                           &add_man_command}) {
        commands.push_back(add(app));
    }
    const std::vector<std::string> words(arguments + std::min(1, argument_count),
                                         arguments + argument_count);
    if (!words.empty() && words.front() == complete_command) {
        write_text(complete_words(describe_command(app), {words.begin() + 1, words.end()}));
        return ExitStatus::done;
    }
    const CLI::App& command = named_command(app, words);
    try {
        app.parse(argument_count, arguments);
    } catch (const CLI::CallForHelp&) {
        write_text(app.help());
        return ExitStatus::done;
    } catch (const CLI::CallForVersion& version) {
        write_text(std::string(version.what()) + "\n");
        return ExitStatus::done;
    } catch (const CLI::ParseError& error) {
        fail_reading(command, error);
    }
    const auto given = std::find_if(
        commands.begin(), commands.end(), [](const Command& entry) { return entry.app->parsed(); });
    if (given == commands.end()) {
        throw UsageError(fmt::format("a command is missing; see {} --help", full_name(command)));
    }
    return given->run();
}

}  // namespace kgen::cli
