// SPDX-License-Identifier: MIT
//
// The commands. Each function adds one to the command line and returns the function that runs it.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "cli/exit_status.hpp"

namespace kgen::cli {

struct Command {
    const CLI::App* app = nullptr;  // tells after parsing whether this command was given
    std::function<ExitStatus()> run;
};

Command add_run_command(CLI::App& app);
Command add_source_command(CLI::App& app);
Command add_explain_command(CLI::App& app);
Command add_list_command(CLI::App& app);
Command add_show_command(CLI::App& app);
Command add_cache_path_command(CLI::App& app);
Command add_cache_stats_command(CLI::App& app);
Command add_cache_list_command(CLI::App& app);
Command add_cache_inspect_command(CLI::App& app);
Command add_cache_verify_command(CLI::App& app);
Command add_cache_prune_command(CLI::App& app);
Command add_cache_clear_command(CLI::App& app);
Command add_cache_export_command(CLI::App& app);
Command add_cache_import_command(CLI::App& app);
Command add_doctor_command(CLI::App& app);
Command add_compile_command(CLI::App& app);
Command add_bench_command(CLI::App& app);
Command add_completion_command(CLI::App& app);
Command add_man_command(CLI::App& app);

}  // namespace kgen::cli
