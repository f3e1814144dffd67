// SPDX-License-Identifier: MIT
#include "cli/options/cache_options.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/text/size_text.hpp"
#include "cli/text/standard_output.hpp"

namespace kgen::cli {

CLI::App& cache_group(CLI::App& app) {
    for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        if (command->get_name() == "cache") return *command;
    }
    return *app.add_subcommand("cache", "inspect and maintain the cache of compiled kernels");
}

CLI::App* add_cache_subcommand(CLI::App& app,
                               const std::string& name,
                               const std::string& description,
                               CacheOptions& options) {
    CLI::App* command = cache_group(app).add_subcommand(name, description);
    command->add_option("--dir", options.directory, "cache directory (default: the one in use)")
        ->type_name("DIR");
    add_common_options(*command, options.common);
    return command;
}

void add_dry_run(CLI::App& command, CacheOptions& options) {
    command.add_flag("--dry-run", options.is_dry_run, "only print what would be done");
}

void print_removal(const CacheRemoval& removal, const CacheOptions& options) {
    if (options.common.format() == Format::json) {
        write_json({{"schema", 1},
                    {"dry_run", options.is_dry_run},
                    {"bytes", removal.bytes},
                    {"paths", removal.paths}});
        return;
    }
    std::string text;
    if (options.is_dry_run) {
        for (const std::string& path : removal.paths) text += in_line(path) + "\n";
    }
    text += fmt::format("{} {}, {}\n",
                        options.is_dry_run ? "would remove" : "removed",
                        counted(removal.paths.size(), "file"),
                        size_text(removal.bytes));
    write_text(text);
}

}  // namespace kgen::cli
