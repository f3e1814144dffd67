// SPDX-License-Identifier: MIT
//
// The names of a program's kernels and variables: the registered name expressions, the symbols in the
// compiled code, and the C++ names of these symbols. All functions are pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/image.hpp"

namespace kgen {

// Removes blanks that have no meaning: " ns :: k < unsigned  int >" becomes "ns::k<unsigned int>".
std::string normalized_name(std::string_view expression);

// Whether the name is that of a template instance.
bool is_template_name(std::string_view name);

// All names of one kernel or variable.
struct ProgramName {
    std::string symbol;
    std::vector<std::string> expressions;  // as registered; a variable's without its '&'
    std::string qualified;                 // "ns::axpby<float>"; the symbol if it is extern "C"
    std::string declaration;  // "ns::axpby<float>(float*, int)"; the symbol if extern "C"

    // Name for messages.
    const std::string& shown() const {
        return expressions.empty() ? qualified : expressions.front();
    }
};

std::vector<ProgramName> program_names(const std::vector<std::string>& symbols,
                                       std::span<const LoweredName> lowered);

// Returns the names that match `name`: none, one, or several overloads. Registered expressions take
// precedence, then symbols, declarations and qualified names.
std::vector<const ProgramName*> find_name(std::string_view name,
                                          std::span<const ProgramName> names);

// Returns the parameter types in a mangled symbol, as the demangler writes them: "int", "float*" for
// "ns::k<float>(int, float*)". Empty if the symbol contains no types.
std::vector<std::string> parameter_types(const std::string& symbol);

// Returns the names of all functions written as kernels in the text: __global__ void NAME(...). Kernels in
// included files are not found; kernels that the preprocessor skips are.
std::vector<std::string> declared_kernels(std::string_view text);

// Lists at most eight names: "'a', 'b', ..., 'h' and 3 more"; "none" for an empty list.
std::string list_names(const std::vector<std::string>& names);
// Returns "\ndid you mean 'saxpy'?", or an empty string if no name is similar.
std::string suggest_name(std::string_view name, const std::vector<std::string>& names);

}  // namespace kgen
