// SPDX-License-Identifier: MIT
//
// find_declared_names: which names a program of the user's declares for itself, so that kgen's own of
// that name stay away.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kgen {

// Those of `names` that one of the texts declares where all of the program sees them, or that an option
// defines: types, functions, variables, enumerators and macros outside of functions and classes. What
// stands in a namespace with a name counts if there is a `using namespace`. What macros declare is not
// seen.
std::set<std::string_view> find_declared_names(const std::vector<std::string_view>& texts,
                                               const std::vector<std::string>& options,
                                               const std::vector<std::string_view>& names);

}  // namespace kgen
