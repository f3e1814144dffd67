// SPDX-License-Identifier: MIT
//
// Rules for the names that a user gives to kernels and parameters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kgen {

inline constexpr std::size_t longest_name = 255;  // bytes

// Whether the whole name matches [A-Za-z_][A-Za-z_0-9]*.
bool is_identifier(std::string_view name) noexcept;

// Whether the name is a keyword of C++ ("int", "class"), or import, module or typeof.
bool is_keyword(std::string_view name) noexcept;

// Whether the name is one of these words, but no keyword in C++17, as which kernels are compiled by default.
bool is_later_keyword(std::string_view name) noexcept;

// Returns the name as terminal_text() prints it within a line; names of more than 64 bytes are cut.
std::string printable(std::string_view name);

}  // namespace kgen
