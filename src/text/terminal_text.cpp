// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <kgen/terminal_text.hpp>

#include "text/utf8.hpp"

namespace kgen {

namespace {

std::string escape_of(const Utf8Character& character) {
    if (character.code == '\n') return "\\n";
    if (character.code == '\0') return "\\0";
    const auto code = static_cast<std::uint32_t>(character.code);
    return character.is_utf8 && code >= 0x80 ? fmt::format("\\u{:04x}", code)
                                             : fmt::format("\\x{:02x}", code);
}

}  // namespace

std::string terminal_text(std::string_view text, LineBreaks breaks) {
    const bool keeps_lines = breaks == LineBreaks::kept;
    std::string result;
    result.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Character character = first_character(text.substr(at));
        const bool is_layout = keeps_lines && (character.code == '\n' || character.code == '\t' ||
                                               text.substr(at, 2) == "\r\n");
        if (character.is_utf8 && (is_layout || !is_control(character.code))) {
            result += text.substr(at, character.bytes);
        } else {
            result += escape_of(character);
        }
        at += character.bytes;
    }
    return result;
}

}  // namespace kgen
