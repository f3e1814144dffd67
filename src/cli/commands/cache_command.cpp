// SPDX-License-Identifier: MIT
//
// kgen cache path: prints the directory of the compiled kernels.
#include <cstdio>
#include <kgen/system.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands/commands.hpp"
#include "cli/options/cache_options.hpp"
#include "cli/text/standard_output.hpp"

namespace kgen::cli {

namespace {

ExitStatus print_path(const CommonOptions& options) {
    const std::string path = cache_directory();
    if (options.json) {
        write_json(nlohmann::ordered_json{{"schema", 1}, {"path", path}});
    } else if (!path.empty()) {
        write_text(in_line(path) + "\n");
    }
    if (!path.empty()) return ExitStatus::done;
    std::fputs("kgen: there is no cache directory; kgen doctor prints the reason\n", stderr);
    return ExitStatus::problems;
}

}  // namespace

Command add_cache_path_command(CLI::App& app) {
    auto options = std::make_shared<CommonOptions>();
    CLI::App* command = cache_group(app).add_subcommand("path", "print the directory of the cache");
    command->footer("Exit status 1 if there is no directory. All devices share it.");
    add_common_options(*command, *options);
    return {command, [options] { return print_path(*options); }};
}

}  // namespace kgen::cli
