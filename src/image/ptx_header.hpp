// SPDX-License-Identifier: MIT
//
// The directives that a PTX module begins with: .version, .target.
#pragma once

#include <string>
#include <string_view>

namespace kgen {

// Whether the text begins with .version, blanks and comments aside: as all PTX must, and no C++ can.
bool is_ptx(std::string_view text);

// "compute_90" of ".target sm_90, debug". Throws IoError if there is no .target where it must be.
std::string read_ptx_arch(std::string_view text);

}  // namespace kgen
