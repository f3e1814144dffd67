// SPDX-License-Identifier: MIT
//
// ascii_text: makes text from a file fit for a message. Replaces each byte that is not printable ASCII by
// '?', and cuts the text after 40 bytes.
#pragma once

#include <string>
#include <string_view>

namespace kgen {

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
