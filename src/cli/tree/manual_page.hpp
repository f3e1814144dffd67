// SPDX-License-Identifier: MIT
//
// manual_page: the page kgen(1).
#pragma once

#include <string>

#include "cli/tree/command_tree.hpp"

namespace kgen::cli {

// Returns the page in the macros of man(7). Its date is today's, or that of SOURCE_DATE_EPOCH, so that builds
// can be repeated.
std::string manual_page(const CommandText& tree);

}  // namespace kgen::cli
