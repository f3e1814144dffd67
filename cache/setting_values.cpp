// SPDX-License-Identifier: MIT
#include "setting_values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace kgen::cache {

namespace {

// Reads the number at the beginning of the text and removes its digits. Returns nothing if there are no
// digits or the number is too large.
std::optional<std::uint64_t> take_number(std::string_view& text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

std::optional<int> shift_of_unit(std::string_view unit) {
    static constexpr std::array<std::pair<std::string_view, int>, 9> units = {{{"", 0},
                                                                               {"K", 10},
                                                                               {"KiB", 10},
                                                                               {"M", 20},
                                                                               {"MiB", 20},
                                                                               {"G", 30},
                                                                               {"GiB", 30},
                                                                               {"T", 40},
                                                                               {"TiB", 40}}};
    for (const auto& [name, shift] : units) {
        if (name == unit) return shift;
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> read_size(std::string_view text) {
    if (text == "unlimited") return unlimited;
    const auto number = take_number(text);
    if (!number || *number == 0) return std::nullopt;
    if (text.size() > 1 && text.front() == ' ') text.remove_prefix(1);
    const auto shift = shift_of_unit(text);
    if (!shift || *number > unlimited >> *shift) return std::nullopt;
    return *number << *shift;
}

std::optional<std::uint64_t> read_count(std::string_view text) {
    if (text == "unlimited") return unlimited;
    const auto number = take_number(text);
    return number && *number != 0 && text.empty() ? number : std::nullopt;
}

std::optional<std::chrono::milliseconds> read_seconds(std::string_view text) {
    const std::string_view before = text;
    const auto seconds = take_number(text);
    if (!seconds || before.size() - text.size() > 9) return std::nullopt;
    std::uint64_t thousandths = 0;
    if (!text.empty()) {
        if (text.size() < 2 || text.front() != '.') return std::nullopt;
        text.remove_prefix(1);
        std::uint64_t unit = 100;
        for (const char digit : text) {
            if (digit < '0' || digit > '9') return std::nullopt;
            thousandths += unit * static_cast<std::uint64_t>(digit - '0');
            unit /= 10;
        }
    }
    return std::chrono::milliseconds(*seconds * 1000 + thousandths);
}

}  // namespace kgen::cache
