// SPDX-License-Identifier: MIT
//
// Parser of parameter lists ("T x, raw float32 y"). See parse_signature for the grammar.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "signature/signature.hpp"

namespace kgen {

enum class ParameterRole { input, output };

// Parses a list; `kernel` is the kernel's name, for messages. Throws SignatureError, whose message shows the
// place with a caret.
std::vector<Parameter> parse_parameters(const std::string& kernel,
                                        std::string_view list,
                                        ParameterRole role);

}  // namespace kgen
