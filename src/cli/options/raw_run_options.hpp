// SPDX-License-Identifier: MIT
//
// Options of kgen run --raw: a file of CUDA C++ or of compiled code, one of its kernels, and its launch.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <kgen/launch_config.hpp>
#include <kgen/raw_options.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/kernel_options.hpp"

namespace kgen::cli {

struct RawRunOptions {
    std::optional<std::string> file;
    std::optional<std::string> kernel;
    std::optional<std::string> grid;   // "4,2", in blocks
    std::optional<std::string> block;  // "4,2", in threads
    std::optional<std::string> cluster;
    std::optional<std::int64_t> shared_bytes;
    bool cooperative = false;
    std::vector<std::string> include_directories;
    std::optional<std::string> arch;

    bool is_given() const { return file.has_value(); }
};

void add_raw_options(CLI::App& command, RawRunOptions& options);

// Throws UsageError if options of --raw are given without --raw or options of other kernels with it, or if
// the kernel, the grid or the block is missing.
void check_raw_options(const RawRunOptions& raw, const KernelOptions& others);

RawModuleOptions make_module_options(const RawRunOptions& raw, const KernelOptions& others);
LaunchConfig make_launch_config(const RawRunOptions& raw);

}  // namespace kgen::cli
