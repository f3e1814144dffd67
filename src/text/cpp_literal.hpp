// SPDX-License-Identifier: MIT
//
// Bytes as string literals of C++, for sources that kgen generates.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace kgen {

// Appends one literal for each 32 bytes, each on a line of its own with an indent of 4.
void append_literals(std::string& text, std::span<const std::byte> bytes);

// Appends the bytes as one literal, quotes included.
void append_literal(std::string& text, std::span<const std::byte> bytes);

}  // namespace kgen
