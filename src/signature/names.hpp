// SPDX-License-Identifier: MIT
//
// Which names a user may give to kernels and parameters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kgen {

inline constexpr std::size_t longest_name = 255;

// [A-Za-z_][A-Za-z_0-9]*, all of it.
bool is_identifier(std::string_view name) noexcept;

// A word of the C++ language ("int", "class").
bool is_keyword(std::string_view name) noexcept;

// The name as terminal_text() prints it within a line, cut at 64 bytes.
std::string printable(std::string_view name);

}  // namespace kgen
