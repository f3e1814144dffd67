// SPDX-License-Identifier: MIT
//
// Decides how a body reads a variable. `tokens` are those of the body, without directives; no macro among
// them may stand for the variable's name. In doubt, for example if a reference may be bound to the
// variable, both functions return false.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "signature/token.hpp"

namespace kgen {

// Whether the word before a bracket leaves the arguments in it unchanged, because it is a type (a cast) or a
// function that takes its parameters by value.
using TakesValues = std::function<bool(std::string_view)>;

// Whether every evaluated use of the variable reads its old value, perhaps to update it (`y += x`), and
// there is at least one such use.
bool reads_only(const std::vector<Token>& tokens,
                std::string_view name,
                const TakesValues& takes_values);

// Whether the first statement that names the variable reads it before writing it, for any data.
bool begins_with_read(const std::vector<Token>& tokens,
                      std::string_view name,
                      const TakesValues& takes_values);

// Whether the variable is overwritten for any data before it is read: an assignment to it begins the first
// statement that names it.
bool begins_with_write(const std::vector<Token>& tokens, std::string_view name);

}  // namespace kgen
