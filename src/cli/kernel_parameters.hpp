// SPDX-License-Identifier: MIT
//
// Parameters: the names of a kernel's parameters.
#pragma once

#include <cstddef>
#include <kgen/generated_kernel.hpp>
#include <string>
#include <vector>

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

}  // namespace kgen::cli
