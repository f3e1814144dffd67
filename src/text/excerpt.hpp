// SPDX-License-Identifier: MIT
//
// Shows a place in a user's text: its line, and below it a caret followed by tildes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kgen {

// A place in a text. Both numbers start at 1; columns count bytes.
struct TextPosition {
    int line = 1;
    int column = 1;
    friend bool operator==(const TextPosition&, const TextPosition&) = default;
};

// Returns the position of the byte at `offset`, or of the end if the offset is past the end.
TextPosition position_of(std::string_view text, std::size_t offset) noexcept;

// Returns "\n  T a, flaot32 x\n       ^~~~~~~": a line break, the line that contains `offset`, indented by
// two spaces, and below it a caret at `offset` and tildes for the rest of `length`, up to the end of the
// line. Lines of more than 100 bytes are cut around the place. Control characters other than tabs, and
// invalid UTF-8, are shown as '?'.
std::string excerpt(std::string_view text, std::size_t offset, std::size_t length);

// Returns the excerpt for a line and column that a compiler reported. If the line is past the end, it shows
// the end of the last line.
std::string excerpt_at(std::string_view text, TextPosition position);

}  // namespace kgen
