// SPDX-License-Identifier: MIT
//
// Options that source and explain share: a call that is described but not made.
#pragma once

#include <CLI/CLI.hpp>
#include <kgen/explanation.hpp>
#include <string>

#include "cli/options/common_options.hpp"
#include "cli/options/kernel_options.hpp"

namespace kgen::cli {

struct ExplainOptions {
    CommonOptions common;
    KernelOptions kernel;
    std::string arch;
};

void add_explain_options(CLI::App& command, ExplainOptions& options);

// Throws UsageError and what the kernel's explain() throws. The device need not exist.
Explanation explain_call(const ExplainOptions& options);

}  // namespace kgen::cli
