// SPDX-License-Identifier: MIT
//
// kgen completion: the script that completes kgen's command lines in a shell. kgen man: the manual page. Both
// are made from the commands themselves.
#include <embedded/shells.hpp>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/text/standard_output.hpp"
#include "cli/tree/command_tree.hpp"
#include "cli/tree/manual_page.hpp"

namespace kgen::cli {

Command add_completion_command(CLI::App& app) {
    auto shell = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand(
        "completion", "print the script that completes command lines of kgen in a shell");
    command->add_option("shell", *shell, "the shell")
        ->check(CLI::IsMember({"bash", "zsh", "fish"}))
        ->type_name("SHELL")
        ->required();
    command->footer(
        "bash: add  source <(kgen completion bash)  to ~/.bashrc\n"
        "zsh:  write it to a file _kgen in a directory of $fpath, or add  source <(kgen completion "
        "zsh)\n"
        "      to ~/.zshrc, after compinit\n"
        "fish: kgen completion fish > ~/.config/fish/completions/kgen.fish\n"
        "An installed kgen brings these files. The scripts ask kgen itself what fits, so that they "
        "need\n"
        "not change with it.");
    return {command, [shell] {
                write_text(*shell == "bash"  ? embedded::kgen_bash
                           : *shell == "zsh" ? embedded::kgen_zsh
                                             : embedded::kgen_fish);
                return ExitStatus::done;
            }};
}

Command add_man_command(CLI::App& app) {
    CLI::App* command = app.add_subcommand("man", "print the manual page kgen(1)");
    command->footer("kgen man | man -l -");
    return {command, [&app] {
                write_text(manual_page(describe_command(app)));
                return ExitStatus::done;
            }};
}

}  // namespace kgen::cli
