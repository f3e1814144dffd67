// SPDX-License-Identifier: MIT
//
// find_declared_names: finds the names that a user's program declares itself, so that kgen does not declare
// them too.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kgen {

// Returns the members of `names` that an option defines or that one of the texts declares where the whole
// program sees them. These are types, functions, variables, enumerators and macros outside of functions and
// classes. Names in a named namespace count if there is a `using namespace`. Declarations that macros expand
// to are not found.
std::set<std::string_view> find_declared_names(const std::vector<std::string_view>& texts,
                                               const std::vector<std::string>& options,
                                               const std::vector<std::string_view>& names);

}  // namespace kgen
