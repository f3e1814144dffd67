// SPDX-License-Identifier: MIT
//
// --expression of kgen run, explain and source: an expression of arrays instead of a kernel.
#pragma once

#include <kgen/communicator.hpp>
#include <kgen/explanation.hpp>
#include <optional>
#include <vector>

#include "cli/exit_status.hpp"
#include "cli/options/kernel_options.hpp"
#include "cli/raw_run.hpp"

namespace kgen::cli {

// Computes the expression and writes the result to the file of --out NAME=FILE, whatever the name, or prints it. Throws
// UsageError for options that go with kernels, SignatureError for a mistake in the text, IoError. With ranks, the arrays
// are divided among them.
ExitStatus run_expression(const RunOptions& options, const std::optional<Communicator>& ranks);

// Explains the kernels of the expression in the order in which they run.
std::vector<Explanation> explain_expression(const KernelOptions& options,
                                            Device device,
                                            const TargetOptions& target);

}  // namespace kgen::cli
