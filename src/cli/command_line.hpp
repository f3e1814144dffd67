// SPDX-License-Identifier: MIT
//
// run_command_line: reads the arguments, answers --help and --version, and runs the command.
#pragma once

#include "cli/exit_status.hpp"

namespace kgen::cli {

// Adds the commands in the order of the help, parses the arguments and runs the command. Throws UsageError if
// they are not valid, and what the command throws.
ExitStatus run_command_line(int argument_count, char** arguments);

}  // namespace kgen::cli
