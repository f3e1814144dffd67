// SPDX-License-Identifier: MIT
//
// From arguments by name to arguments by position, as a kernel is called.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/kernel_parameters.hpp"
#include "cli/text/argument_text.hpp"

namespace kgen::cli {

// What files become: memory on a device, or descriptions where nothing runs.
enum class Use { run, describe };

// Where a name stands among parameters.names. Throws UsageError with the valid names.
std::size_t find_parameter(const Parameters& parameters, const std::string& name);

// The kernel's inputs in order, followed by its outputs if they are given (all of them or none).
// Throws UsageError for names that are missing, unknown or given twice, and for descriptions where
// the kernel is to run; before any file is read.
std::vector<ArgumentText> order_arguments(const Parameters& parameters,
                                          const std::vector<std::string>& texts,
                                          Use use);

// The arguments themselves: reads the files, to `device` if they are to be run. `dtypes` are
// NAME=DTYPE texts. Throws IoError.
std::vector<Argument> load_arguments(const Parameters& parameters,
                                     const std::vector<ArgumentText>& arguments,
                                     const std::vector<std::string>& dtypes,
                                     Use use,
                                     Device device);

}  // namespace kgen::cli
