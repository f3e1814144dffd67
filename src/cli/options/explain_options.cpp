// SPDX-License-Identifier: MIT
#include "cli/options/explain_options.hpp"

#include <fmt/format.h>

#include <regex>

#include "cli/exit_status.hpp"
#include "cli/kernel_arguments.hpp"

namespace kgen::cli {

namespace {

// Checks the value of --arch. Returns the error message, or "".
std::string check_arch(const std::string& text) {
    static const std::regex form("sm_[0-9]{2,3}[af]?");
    if (std::regex_match(text, form)) return "";
    return fmt::format("'{}' is not a GPU architecture: expected one such as sm_90 or sm_90a",
                       text);
}

// Returns the requested device. If an architecture is given, this must be a GPU.
Device wanted_device(const ExplainOptions& options) {
    const auto chosen = options.common.chosen_device();
    if (options.arch.empty()) return chosen ? *chosen : current_device();
    if (!chosen) return Device::cuda(0);
    if (*chosen != Device::host()) return *chosen;
    throw UsageError(
        fmt::format("--arch {} is for GPUs, but --device is {}", options.arch, to_text(*chosen)));
}

}  // namespace

void add_explain_options(CLI::App& command, ExplainOptions& options) {
    add_kernel_options(command, options.kernel);
    command
        .add_option("--arch",
                    options.arch,
                    "the GPU architecture, sm_90 or sm_90a; the default is this machine's GPU")
        ->type_name("ARCH")
        ->check(check_arch);
    add_common_options(command, options.common);
    command.footer(
        "Arrays may be described instead of files: x=float32[2,5], x=float32[] (rank 0),\n"
        "x=float32[2,5]/strides=4,8 (in bytes). Nothing is compiled and no GPU is needed.");
}

Explanation explain_call(const ExplainOptions& options) {
    const GeneratedKernel kernel = make_kernel(options.kernel);
    const Parameters parameters = parameters_of(kernel);
    const auto ordered = order_arguments(parameters, call_arguments(options.kernel), Use::describe);
    const Device device = wanted_device(options);
    const auto arguments =
        load_arguments(parameters, ordered, options.kernel.dtypes, Use::describe, device);
    TargetOptions target;
    target.device = device;
    if (!options.arch.empty()) target.arch = options.arch;
    return kernel.explain(arguments, make_call_options(options.kernel, device), target);
}

}  // namespace kgen::cli
