// SPDX-License-Identifier: MIT
//
// The commands and their options as plain data, read from CLI11. Shell completion and the manual page are made
// from it, so neither has a list of its own.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace kgen::cli {

// An option, or an argument without a name.
struct OptionText {
    std::vector<std::string> names;    // "--jobs", "-j"; empty for an argument without a name
    std::string value;                 // what follows: "NAME=FILE.npy"; empty for a flag
    std::vector<std::string> choices;  // the values, if only these are valid
    std::string description;
    int value_count = 0;  // the number of words that follow the name
    bool is_required = false;
    bool is_repeatable = false;  // only for an argument without a name
};

struct CommandText {
    std::string name;  // "kgen cache list"
    std::string description;
    std::string footer;
    std::vector<OptionText> options;
    std::vector<OptionText> arguments;
    std::vector<CommandText> commands;
};

// Returns "kgen", "kgen cache path".
std::string full_name(const CLI::App& app);

// Describes the command and all commands below it. Leaves out what the help hides.
CommandText describe_command(const CLI::App& app);

}  // namespace kgen::cli
