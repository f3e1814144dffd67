// SPDX-License-Identifier: MIT
//
// kgen cache clear: removes all entries and packs.
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options/cache_options.hpp"

namespace kgen::cli {

namespace {

struct ClearOptions : CacheOptions {
    bool all_versions = false;
};

ExitStatus clear(const ClearOptions& options) {
    const CacheVersions versions = options.all_versions ? CacheVersions::every : CacheVersions::own;
    print_removal(clear_cache(versions, options.dry_run(), options.directory), options);
    return ExitStatus::done;
}

}  // namespace

Command add_cache_clear_command(CLI::App& app) {
    auto options = std::make_shared<ClearOptions>();
    CLI::App* command =
        add_cache_subcommand(app, "clear", "remove all entries and packs", *options);
    command->add_flag(
        "--all-versions", options->all_versions, "also remove the files of other versions of kgen");
    add_dry_run(*command, *options);
    command->footer(
        "Other processes may use the cache at the same time. Only kgen's own files are removed, "
        "and only\n"
        "from a directory that kgen has marked as its cache.");
    return {command, [options] { return clear(*options); }};
}

}  // namespace kgen::cli
