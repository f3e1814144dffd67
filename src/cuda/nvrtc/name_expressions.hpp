// SPDX-License-Identifier: MIT
//
// Name expressions: C++ expressions that name kernels and variables for NVRTC ("axpby<float, 4>",
// "&ns::scale"). These functions check them and find them in NVRTC's log.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "device/compiler.hpp"

namespace kgen {

// Throws CompileError if an expression is empty or contains a NUL character or a line break.
void check_name_expressions(const CompileJob& job);

// Returns the expressions that, according to NVRTC's log, name nothing.
std::vector<std::string> find_refused_expressions(std::string_view log,
                                                  const std::vector<std::string>& expressions);

// Returns true if the source contains the last name of the expression: "blur" for
// "filters::blur<Mode::clamp>".
bool mentions_name(std::string_view source, std::string_view expression);

}  // namespace kgen
