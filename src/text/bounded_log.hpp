// SPDX-License-Identifier: MIT
//
// bounded_log: makes a compiler's output fit for a message.
#pragma once

#include <cstddef>
#include <string>

namespace kgen {

inline constexpr std::size_t longest_log = 64 * 1024;  // bytes that are kept

// Cuts the log to longest_log bytes, at the end of a line if possible, and adds a line with the number of
// bytes that were dropped. Escapes control characters like terminal_text(), because a source can put them
// into the compiler's output.
std::string bounded_log(std::string log);

}  // namespace kgen
