// SPDX-License-Identifier: MIT
//
// The ASCII characters of texts.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace kgen {

inline bool is_ascii(std::string_view text) noexcept {
    return std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
}

inline bool has_control_byte(std::string_view text) noexcept {
    return std::any_of(text.begin(), text.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
}

// Makes text from a file fit for a message. Replaces each byte that is not printable ASCII by '?', and cuts
// the text after 40 bytes.
inline std::string ascii_text(std::string_view text) {
    constexpr std::size_t longest = 40;
    std::string result(text.substr(0, longest));
    for (char& c : result) {
        if (c < ' ' || c > '~') c = '?';
    }
    if (text.size() > longest) result += "...";
    return result;
}

}  // namespace kgen
