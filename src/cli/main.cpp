// SPDX-License-Identifier: MIT
//
// The command `kgen`.
#include <kgen/cache.hpp>
#include <kgen/message_spelling.hpp>

#include "cli/command_line.hpp"
#include "cli/exit_status.hpp"
#include "cli/text/standard_output.hpp"

int main(int argument_count, char** arguments) {
    using namespace kgen::cli;
    kgen::set_message_spelling(kgen::MessageSpelling::command);
    prepare_standard_output();
    return run_guarded([&] {
        const ExitStatus status = run_command_line(argument_count, arguments);
        kgen::flush_cache_totals();
        return status;
    });
}
