// SPDX-License-Identifier: MIT
//
// Options and output that the subcommands of `kgen cache` share.
#pragma once

#include <CLI/CLI.hpp>
#include <kgen/cache.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/options/common_options.hpp"

namespace kgen::cli {

struct CacheOptions {
    CommonOptions common;
    std::string directory;  // empty: the cache of this process
    bool is_dry_run = false;

    CacheDryRun dry_run() const { return is_dry_run ? CacheDryRun::yes : CacheDryRun::no; }
};

// Returns the command `kgen cache`, to which its subcommands are added.
CLI::App& cache_group(CLI::App& app);

// Adds `kgen cache NAME` with --dir and the options of all commands.
CLI::App* add_cache_subcommand(CLI::App& app,
                               const std::string& name,
                               const std::string& description,
                               CacheOptions& options);
void add_dry_run(CLI::App& command, CacheOptions& options);

// Prints "removed 3 files, 1.5 MiB"; for a dry run the paths and "would remove 3 files, 1.5 MiB".
void print_removal(const CacheRemoval& removal, const CacheOptions& options);

// Prints entries of the cache or of a pack, one per line.

// Prints to stdout in the requested format.
void print_entry_table(const std::vector<CacheEntry>& entries, const CommonOptions& options);

}  // namespace kgen::cli
