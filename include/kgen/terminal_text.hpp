// SPDX-License-Identifier: MIT
//
// terminal_text: makes text of unknown origin safe to print to a terminal.
#pragma once

#include <cstdint>
#include <kgen/export.hpp>
#include <string>
#include <string_view>

namespace kgen {

enum class LineBreaks : std::uint8_t {
    kept,     // for text of several lines: "\n", "\r\n" and tabs stay
    escaped,  // for names and values within a line
};

// Returns the text with everything that could control a terminal escaped: control characters as "\x1b", "\n"
// or "\0"; U+0080 to U+009F and characters that change the direction or the line of text as "\u202e"; bytes
// that are not UTF-8 as "\xff". All other text is unchanged. The functions of kgen/cache.hpp and
// kgen/pack.hpp return the contents of files unchecked, so print them through this function. Thread-safe.
KGEN_EXPORT std::string terminal_text(std::string_view text, LineBreaks breaks);

}  // namespace kgen
