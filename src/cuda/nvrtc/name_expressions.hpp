// SPDX-License-Identifier: MIT
//
// Name expressions: the C++ by which a user names kernels and variables ("axpby<float, 4>",
// "&ns::scale"), as NVRTC takes them and complains about them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "device/compiler.hpp"

namespace kgen {

// Throws CompileError for an expression that NVRTC cannot be given.
void check_name_expressions(const CompileJob& job);

// Those of the expressions of which NVRTC's log says that they name nothing.
std::vector<std::string> find_refused_expressions(std::string_view log,
                                                  const std::vector<std::string>& expressions);

// Whether a source says the name of what the expression names: "blur" of "filters::blur<Mode::clamp>".
bool mentions_name(std::string_view source, std::string_view expression);

}  // namespace kgen
