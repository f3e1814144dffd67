// SPDX-License-Identifier: MIT
//
// CommandLine: reads the arguments, answers --help and --version, and runs the command.
#pragma once

#include <CLI/CLI.hpp>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/exit_status.hpp"

namespace kgen::cli {

class CommandLine {
public:
    CommandLine();
    CLI::App& app() noexcept { return app_; }
    void add(Command command) { commands_.push_back(std::move(command)); }
    // Parses the arguments and runs the command. Throws UsageError if they are not valid, and what the
    // command throws.
    ExitStatus run(int argument_count, char** arguments);

private:
    CLI::App app_;
    std::vector<Command> commands_;
};

}  // namespace kgen::cli
