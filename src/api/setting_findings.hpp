// SPDX-License-Identifier: MIT
//
// What `kgen doctor` says about the settings of the cache and of compiling: which are in force and
// where they come from, and what was not obeyed.
#pragma once

#include <kgen/system.hpp>
#include <string>
#include <vector>

#include "image/compile_settings.hpp"
#include "store_settings.hpp"

namespace kgen {

// Of this process. The cache's read-only places are tried for it.
std::vector<Finding> inspect_settings();

// The same of given settings; `variables` are the names of those that are set.
std::vector<Finding> inspect_settings(const cache::StoreSettings& store,
                                      const CompileSettings& compile,
                                      const std::vector<std::string>& variables);

}  // namespace kgen
