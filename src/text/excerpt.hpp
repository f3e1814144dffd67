// SPDX-License-Identifier: MIT
//
// Shows a place in a user's text: the line it stands in, and a caret with a tail below it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kgen {

// A place in a text, both from 1; columns count bytes.
struct TextPosition {
    int line = 1;
    int column = 1;
    friend bool operator==(const TextPosition&, const TextPosition&) = default;
};

// The position of the byte at `offset`; past the end counts as the end.
TextPosition position_of(std::string_view text, std::size_t offset) noexcept;

// "\n  T a, flaot32 x\n       ^~~~~~~": the line of `offset`, indented by two, under a line break,
// with a caret under its first byte and tildes under the rest of `length` (on that line). Long
// lines are cut around the place; bytes of what a terminal would obey are shown as '?'.
std::string excerpt(std::string_view text, std::size_t offset, std::size_t length);

// The same for a line and column that a compiler reported; a line past the end shows the end of
// the last line.
std::string excerpt_at(std::string_view text, TextPosition position);

}  // namespace kgen
