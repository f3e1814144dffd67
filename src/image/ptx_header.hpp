// SPDX-License-Identifier: MIT
//
// The directives at the beginning of a PTX module: .version and .target.
#pragma once

#include <string>
#include <string_view>

namespace kgen {

// Returns whether the text begins with .version after blanks and comments. All PTX must, and no C++ can.
bool is_ptx(std::string_view text);

// Returns "compute_90" for ".target sm_90, debug". Throws IoError if .target is not where it must be.
std::string read_ptx_arch(std::string_view text);

}  // namespace kgen
