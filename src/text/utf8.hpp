// SPDX-License-Identifier: MIT
//
// Decoder of UTF-8, and a test for characters that control a terminal.
#pragma once

#include <cstddef>
#include <string_view>

namespace kgen {

struct Utf8Character {
    char32_t code = 0;      // the byte's value if the text is not valid UTF-8 here
    std::size_t bytes = 1;  // length in the text
    bool is_utf8 = true;
};

// Returns the first character of a text, which must not be empty. Overlong forms, surrogates and numbers
// above U+10FFFF are not valid UTF-8.
constexpr Utf8Character first_character(std::string_view text) noexcept {
    const auto byte = [&](std::size_t k) {
        return static_cast<char32_t>(static_cast<unsigned char>(text[k]));
    };
    const char32_t first = byte(0);
    const std::size_t length = first < 0x80             ? 1
                               : (first & 0xe0) == 0xc0 ? 2
                               : (first & 0xf0) == 0xe0 ? 3
                               : (first & 0xf8) == 0xf0 ? 4
                                                        : 0;
    if (length == 1) return {first, 1, true};
    if (length == 0 || text.size() < length) return {first, 1, false};
    char32_t code = first & (0x7fU >> length);
    for (std::size_t k = 1; k < length; ++k) {
        if ((byte(k) & 0xc0) != 0x80) return {first, 1, false};
        code = code << 6 | (byte(k) & 0x3f);
    }
    const char32_t least = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
    const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
    if (code < least || is_surrogate || code > 0x10ffff) return {first, 1, false};
    return {code, length, true};
}

// Whether it is a control character of ASCII or Latin 1, changes the direction of text, or separates lines.
constexpr bool is_control(char32_t code) noexcept {
    return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0x61c || code == 0x200e ||
           code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

}  // namespace kgen
