// SPDX-License-Identifier: MIT
//
// enum_text: the text of an enumerator, from a list of texts.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace kgen::cache {

// `texts` are in the order of the enumerators. Returns `otherwise` for a value that is no enumerator.
template <typename Enum, std::size_t count>
std::string_view enum_text(const std::array<std::string_view, count>& texts,
                           Enum value,
                           std::string_view otherwise) noexcept {
    const auto index = static_cast<std::size_t>(value);
    return index < count ? texts[index] : otherwise;
}

}  // namespace kgen::cache
