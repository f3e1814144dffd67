// SPDX-License-Identifier: MIT
//
// The names of a program's kernels and variables: the expressions that were registered, the symbols
// in the code, and what these are in C++. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/image.hpp"

namespace kgen {

// Without blanks that mean nothing: " ns :: k < unsigned  int >" is "ns::k<unsigned int>".
std::string normalized_name(std::string_view expression);

// Whether a template is instantiated by it.
bool is_template_name(std::string_view name);

// One kernel or variable by all that it may be called.
struct ProgramName {
    std::string symbol;
    std::vector<std::string> expressions;  // as they were registered, a variable's without its '&'
    std::string qualified;                 // "ns::axpby<float>"; the symbol if it is extern "C"
    std::string declaration;               // "ns::axpby<float>(float*, int)"; likewise

    // As a C++ programmer writes it.
    const std::string& shown() const {
        return expressions.empty() ? qualified : expressions.front();
    }
};

std::vector<ProgramName> program_names(const std::vector<std::string>& symbols,
                                       std::span<const LoweredName> lowered);

// Those that `name` means: one, none, or several overloads.
std::vector<const ProgramName*> find_name(std::string_view name,
                                          std::span<const ProgramName> names);

// "int", "float*" of "ns::k<float>(int, float*)", as the demangler writes them; none of a symbol that
// tells no types.
std::vector<std::string> parameter_types(const std::string& symbol);

// The names of all functions that stand in the text as kernels: __global__ void NAME(...). Those in
// included files are not seen, those that the preprocessor skips are.
std::vector<std::string> declared_kernels(std::string_view text);

// "'saxpy', 'scale' and 3 more": at most eight; "none".
std::string list_names(const std::vector<std::string>& names);
// "\ndid you mean 'saxpy'?", empty if none is near.
std::string suggest_name(std::string_view name, const std::vector<std::string>& names);

}  // namespace kgen
