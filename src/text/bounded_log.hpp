// SPDX-License-Identifier: MIT
//
// bounded_log: a compiler's output as it may stand in a message.
#pragma once

#include <cstddef>
#include <string>

namespace kgen {

inline constexpr std::size_t longest_log = 64 * 1024;  // bytes that are kept

// What is beyond longest_log gives way to a line that says how much it was; the cut is at a line's end where
// there is one. What a terminal would obey, which a source can bring into a log, is escaped as terminal_text()
// does.
std::string bounded_log(std::string log);

}  // namespace kgen
