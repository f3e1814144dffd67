// SPDX-License-Identifier: MIT
//
// inspect_settings: the findings of `kgen doctor` about the settings of the cache and of compiling. They list
// the values in force, the origin of each value, and the settings that are ignored because they are wrong.
#pragma once

#include <kgen/system.hpp>
#include <string>
#include <vector>

#include "image/compile_settings.hpp"
#include "store_settings.hpp"

namespace kgen {

// Inspects the settings of this process. Opens the read-only caches to check them.
std::vector<Finding> inspect_settings();

// Inspects the given settings. `variables` holds the names of the environment variables that are set.
std::vector<Finding> inspect_settings(const cache::StoreSettings& store,
                                      const CompileSettings& compile,
                                      const std::vector<std::string>& variables);

}  // namespace kgen
