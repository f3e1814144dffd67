// SPDX-License-Identifier: MIT
//
// Text from files, for messages: what is not printable ASCII becomes '?', what is long is cut.
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
