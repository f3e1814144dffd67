// SPDX-License-Identifier: MIT
//
// complete_words: the candidates that a shell offers for a word of a command line.
#pragma once

#include <string>
#include <vector>

#include "cli/tree/command_tree.hpp"

namespace kgen::cli {

// The command with which the shells ask for candidates: kgen __complete WORD... The help does not show it.
inline constexpr const char* complete_command = "__complete";

// Returns the candidates for the last of the words after `kgen`, which may be empty: a line for each, followed
// by a tab and a description if there is one. What an option or argument takes is told by the name of its
// value: FILE.npy, DIR, TEMPLATE, NAME=DTYPE. More may follow a candidate that ends with '=', '/' or ','. Never
// throws for what is typed: the result is then empty.
std::string complete_words(const CommandText& tree, const std::vector<std::string>& words);

}  // namespace kgen::cli
