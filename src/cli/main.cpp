// SPDX-License-Identifier: MIT
//
// The command `kgen`: adds the commands in the order of the help.
#include <kgen/cache.hpp>

#include "cli/command_line.hpp"
#include "cli/commands/commands.hpp"
#include "cli/exit_status.hpp"
#include "cli/text/standard_output.hpp"

int main(int argument_count, char** arguments) {
    using namespace kgen::cli;
    prepare_standard_output();
    return run_guarded([&] {
        CommandLine line;
        line.add(add_run_command(line.app()));
        line.add(add_source_command(line.app()));
        line.add(add_explain_command(line.app()));
        line.add(add_list_command(line.app()));
        line.add(add_show_command(line.app()));
        line.add(add_cache_path_command(line.app()));
        line.add(add_cache_stats_command(line.app()));
        line.add(add_cache_list_command(line.app()));
        line.add(add_cache_inspect_command(line.app()));
        line.add(add_cache_verify_command(line.app()));
        line.add(add_cache_prune_command(line.app()));
        line.add(add_cache_clear_command(line.app()));
        line.add(add_cache_export_command(line.app()));
        line.add(add_cache_import_command(line.app()));
        line.add(add_doctor_command(line.app()));
        line.add(add_compile_command(line.app()));
        line.add(add_bench_command(line.app()));
        const ExitStatus status = line.run(argument_count, arguments);
        kgen::flush_cache_totals();
        return status;
    });
}
