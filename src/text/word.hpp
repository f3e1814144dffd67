// SPDX-License-Identifier: MIT
//
// Words of source text: ASCII letters, digits and '_', independent of the locale.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "text/list.hpp"

namespace kgen {

constexpr bool is_digit(char letter) noexcept {
    return letter >= '0' && letter <= '9';
}
constexpr bool is_word(char letter) noexcept {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           is_digit(letter) || letter == '_';
}

// Returns the first offset, `from` or later, at which the name stands as a whole word, or npos.
constexpr std::size_t find_word(std::string_view text,
                                std::string_view name,
                                std::size_t from = 0) noexcept {
    for (std::size_t at = text.find(name, from); at != text.npos; at = text.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end])))
            return at;
    }
    return text.npos;
}

template <std::size_t count>
constexpr bool starts_with_one_of(std::string_view text,
                                  const std::array<std::string_view, count>& starts) noexcept {
    return std::any_of(
        starts.begin(), starts.end(), [&](auto start) { return text.starts_with(start); });
}

template <std::size_t count>
constexpr bool contains_one_of(std::string_view text,
                               const std::array<std::string_view, count>& parts) noexcept {
    return std::any_of(
        parts.begin(), parts.end(), [&](auto part) { return text.find(part) != text.npos; });
}

}  // namespace kgen
