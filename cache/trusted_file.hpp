// SPDX-License-Identifier: MIT
//
// distrust_file: checks whether a file below a trusted directory can be trusted.
#pragma once

#include <sys/stat.h>

#include <string>

#include "store_settings.hpp"

namespace kgen::cache {

// Returns why a file is not trusted; empty if it is trusted.
std::string distrust_file(const struct stat& status, TrustMode trust);

}  // namespace kgen::cache
