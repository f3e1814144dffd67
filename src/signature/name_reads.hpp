// SPDX-License-Identifier: MIT
//
// How a body reads a variable. `tokens` are those of the body without directives, in which no macro stands for the name.
// When in doubt, as where a reference may be bound to the variable, the answer is no.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "signature/token.hpp"

namespace kgen {

// Whether what stands before brackets changes nothing in them: a type, or a function that takes values.
using TakesValues = std::function<bool(std::string_view)>;

// Whether the variable is read, and nothing but that and changed from what it was (`y += x`).
bool reads_only(const std::vector<Token>& tokens,
                std::string_view name,
                const TakesValues& takes_values);

// Whether the first statement that names the variable reads it before it writes it, whatever the data are.
bool begins_with_read(const std::vector<Token>& tokens,
                      std::string_view name,
                      const TakesValues& takes_values);

}  // namespace kgen
