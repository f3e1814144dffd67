// SPDX-License-Identifier: MIT
//
// What source and explain have in common: a call that is described, not made.
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

// Throws UsageError and what the kernel's explain() does. The device need not be there.
Explanation explain_call(const ExplainOptions& options);

}  // namespace kgen::cli
