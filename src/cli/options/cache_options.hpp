// SPDX-License-Identifier: MIT
//
// What the subcommands of `kgen cache` have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <kgen/cache.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/options/common_options.hpp"

namespace kgen::cli {

struct CacheOptions {
    CommonOptions common;
    std::string directory;  // empty: this process's
    bool is_dry_run = false;

    CacheDryRun dry_run() const { return is_dry_run ? CacheDryRun::yes : CacheDryRun::no; }
};

// `kgen cache`, to which its subcommands are added.
CLI::App& cache_group(CLI::App& app);

// `kgen cache NAME`, with --dir and what all commands take.
CLI::App* add_cache_subcommand(CLI::App& app,
                               const std::string& name,
                               const std::string& description,
                               CacheOptions& options);
void add_dry_run(CLI::App& command, CacheOptions& options);

// "removed 3 files, 1.5 MiB" with the paths if nothing was removed but only told.
void print_removal(const CacheRemoval& removal, const CacheOptions& options);

}  // namespace kgen::cli
