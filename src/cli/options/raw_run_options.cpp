// SPDX-License-Identifier: MIT
#include "cli/options/raw_run_options.hpp"

#include <fmt/format.h>

#include <string_view>

#include "cli/exit_status.hpp"
#include "cli/options/common_options.hpp"

namespace kgen::cli {

namespace {

// Reads "4", "4,2" or "4,2,1". Returns nothing if the text is malformed.
std::optional<LaunchDims> read_dims(std::string_view text) {
    std::optional<std::vector<std::int64_t>> extents = read_integers<std::int64_t>(text);
    if (!extents || extents->size() > 3) return std::nullopt;
    extents->resize(3, 1);
    return LaunchDims((*extents)[0], (*extents)[1], (*extents)[2]);
}

std::string check_dims(const std::string& text) {
    if (read_dims(text)) return "";
    return fmt::format("'{}' is not an extent: expected up to three integers such as 64 or 16,16",
                       text);
}

void add_dims(CLI::App& command,
              const std::string& name,
              std::optional<std::string>& place,
              const std::string& description) {
    add_text(command, name, place, description)->type_name("X[,Y[,Z]]")->check(check_dims);
}

// Throws UsageError if the option is given. `rule` says why it must not be given.
void refuse(bool given, std::string_view option, std::string_view rule) {
    if (given) throw UsageError(fmt::format("{} {}", option, rule));
}

}  // namespace

void add_raw_options(CLI::App& command, RawRunOptions& options) {
    add_text(command,
             "--raw",
             options.file,
             "a file of CUDA C++ (.cu) or compiled code (.ptx, .cubin, .fatbin); arguments have "
             "the names of the source, or no names and the kernel's order")
        ->type_name("FILE");
    add_text(command, "--kernel", options.kernel, "the kernel of --raw: saxpy, or axpby<float, 4>")
        ->type_name("NAME");
    add_dims(command, "--grid", options.grid, "blocks of --raw");
    add_dims(command, "--block", options.block, "threads of a block of --raw");
    add_dims(command, "--cluster", options.cluster, "blocks of a cluster of --raw");
    command
        .add_option(
            "--shared-bytes", options.shared_bytes, "dynamic shared memory of a block of --raw")
        ->type_name("N")
        ->check(check_integer);
    command.add_flag("--cooperative",
                     options.cooperative,
                     "the blocks of --raw run at once and may synchronize with each other");
    command
        .add_option(
            "--include", options.include_directories, "a folder of headers for --raw; repeatable")
        ->type_name("DIR")
        ->allow_extra_args(false);
    add_text(command, "--arch", options.arch, "the GPU architecture for --raw, such as sm_90a")
        ->type_name("ARCH");
}

void check_raw_options(const RawRunOptions& raw, const KernelOptions& others) {
    if (!raw.is_given()) {
        constexpr std::string_view rule = "needs --raw";
        refuse(raw.kernel.has_value(), "--kernel", rule);
        refuse(raw.grid.has_value(), "--grid", rule);
        refuse(raw.block.has_value(), "--block", rule);
        refuse(raw.cluster.has_value(), "--cluster", rule);
        refuse(raw.shared_bytes.has_value(), "--shared-bytes", rule);
        refuse(raw.cooperative, "--cooperative", rule);
        refuse(!raw.include_directories.empty(), "--include", rule);
        refuse(raw.arch.has_value(), "--arch", rule);
        return;
    }
    refuse_argument("--raw", "FILE", *raw.file);
    refuse_argument("--kernel", "NAME", raw.kernel.value_or(""));
    refuse_argument("--arch", "ARCH", raw.arch.value_or(""));
    for (const std::string& folder : raw.include_directories)
        refuse_argument("--include", "FOLDER", folder);
    for (const std::string& option : others.compiler_options)
        refuse_argument("--option", "OPTION", option);
    constexpr std::string_view rule = "cannot be used with --raw";
    refuse(!others.elementwise.empty(), "--elementwise", rule);
    refuse(!others.reduce.empty(), "--reduce", rule);
    refuse(others.template_file.has_value(), "--template", rule);
    refuse(!others.preamble.empty(), "--preamble", rule);
    refuse(others.loop_prep.has_value(), "--loop-prep", rule);
    refuse(others.after_loop.has_value(), "--after-loop", rule);
    refuse(others.reduce_type.has_value(), "--reduce-type", rule);
    refuse(others.accuracy.has_value(), "--accuracy", rule);
    refuse(others.axes.has_value(), "--axis", rule);
    refuse(others.keepdims, "--keepdims", rule);
    refuse(others.keep_axes, "--keep-axes", rule);
    refuse(others.size.has_value(), "--size", rule);
    refuse(
        others.block_size.has_value(), "--block-size", "cannot be used with --raw: give --block");
    if (!raw.kernel) throw UsageError("--raw: the kernel is missing; give --kernel NAME");
    if (!raw.grid) throw UsageError("--raw: the grid is missing; give --grid X[,Y[,Z]], in blocks");
    if (!raw.block) {
        throw UsageError("--raw: the block is missing; give --block X[,Y[,Z]], in threads");
    }
}

RawModuleOptions make_module_options(const RawRunOptions& raw, const KernelOptions& others) {
    RawModuleOptions options;
    options.options = others.compiler_options;
    options.include_directories = raw.include_directories;
    options.arch = raw.arch;
    options.file = *raw.file;
    // A template is instantiated by its expression. Any other name needs none.
    if (raw.kernel->find('<') != std::string::npos) options.names = {*raw.kernel};
    return options;
}

LaunchConfig make_launch_config(const RawRunOptions& raw) {
    LaunchConfig config;
    config.grid = *read_dims(*raw.grid);
    config.block = *read_dims(*raw.block);
    if (raw.cluster) config.cluster = *read_dims(*raw.cluster);
    config.shared_bytes = raw.shared_bytes.value_or(0);
    config.cooperative = raw.cooperative;
    return config;
}

}  // namespace kgen::cli
