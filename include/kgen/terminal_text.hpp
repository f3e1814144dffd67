// SPDX-License-Identifier: MIT
//
// terminal_text: text of unknown origin as it may be printed.
#pragma once

#include <cstdint>
#include <kgen/export.hpp>
#include <string>
#include <string_view>

namespace kgen {

enum class LineBreaks : std::uint8_t {
    kept,     // texts of several lines: "\n", "\r\n" and tabs stay
    escaped,  // names and values that stand within a line
};

// Returns the text with all that a terminal would obey replaced: control characters by "\x1b", "\n" and
// "\0", those of U+0080 to U+009F and those that change the direction or the line of text by "\u202e",
// bytes that are not UTF-8 by "\xff". All else stays as it is. What the functions of kgen/cache.hpp and
// kgen/pack.hpp return is what the files say: print it through this function. Thread safe.
KGEN_EXPORT std::string terminal_text(std::string_view text, LineBreaks breaks);

}  // namespace kgen
