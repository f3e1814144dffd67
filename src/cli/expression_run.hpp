// SPDX-License-Identifier: MIT
//
// --expression of kgen run, explain and source: an expression of arrays instead of a kernel.
#pragma once

#include <kgen/explanation.hpp>
#include <vector>

#include "cli/exit_status.hpp"
#include "cli/options/kernel_options.hpp"
#include "cli/raw_run.hpp"

namespace kgen::cli {

// Computes the expression and writes the result to the file of --out NAME=FILE, whatever the name, or prints it. Throws
// UsageError for options that go with kernels, SignatureError for a mistake in the text, IoError.
ExitStatus run_expression(const RunOptions& options);

// Explains the kernels of the expression in the order in which they run.
std::vector<Explanation> explain_expression(const KernelOptions& options,
                                            Device device,
                                            const TargetOptions& target);

}  // namespace kgen::cli
