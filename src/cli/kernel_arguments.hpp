// SPDX-License-Identifier: MIT
//
// Arguments of a kernel on the command line. Puts NAME=VALUE texts into the order of the kernel's parameters
// and loads the files that they name.
#pragma once

#include <kgen/generated_kernel.hpp>
#include <string>
#include <vector>

#include "cli/text/argument_text.hpp"

namespace kgen::cli {

// The names of the inputs, then of the outputs. All parameters of a raw kernel count as outputs.
struct Parameters {
    std::string kernel;
    std::vector<std::string> names;
    std::size_t input_count = 0;
};

inline Parameters parameters_of(const GeneratedKernel& kernel) {
    return {
        kernel.name(), kernel.parameter_names(), static_cast<std::size_t>(kernel.input_count())};
}

// Whether a file becomes an array on a device, or only a description because nothing runs.
enum class Use { run, describe };

// Returns the position of the name in parameters.names. Throws UsageError that lists the valid names.
std::size_t find_parameter(const Parameters& parameters, const std::string& name);

// Returns the kernel's inputs in order, followed by its outputs if they are given (all of them or none).
// Throws UsageError if a name is missing, unknown or given twice, or if an array is only described although
// the kernel is to run. Reads no file.
std::vector<ArgumentText> order_arguments(const Parameters& parameters,
                                          const std::vector<std::string>& texts,
                                          Use use);

// Returns the arguments. Reads the files, to `device` if the kernel is to run. `dtypes` are NAME=DTYPE texts:
// the elements of a file are converted as by Array::astype, a number as by convert_scalar. Throws IoError, and
// UsageError if a number does not fit.
std::vector<Argument> load_arguments(const Parameters& parameters,
                                     const std::vector<ArgumentText>& arguments,
                                     const std::vector<std::string>& dtypes,
                                     Use use,
                                     Device device);

}  // namespace kgen::cli
