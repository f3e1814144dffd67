// SPDX-License-Identifier: MIT
//
// split: the parts of a text between separators, such as its lines.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace kgen {

// Borrows the text. Parts may be empty. A separator at the end of the text begins no part.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(separator), text.size());
        parts.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

}  // namespace kgen
