// SPDX-License-Identifier: MIT
#include "cli/text/size_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace kgen::cli {

namespace {

// Splits "30d" into 30 and "d".
std::optional<std::uint64_t> take_number(std::string_view& text) {
    std::uint64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    return value;
}

std::optional<std::uint64_t> product(std::uint64_t a, std::uint64_t b) {
    if (a > std::numeric_limits<std::uint64_t>::max() / b) return std::nullopt;
    return a * b;
}

}  // namespace

std::string size_text(std::uint64_t bytes) {
    constexpr std::array<const char*, 5> units = {"KiB", "MiB", "GiB", "TiB", "PiB"};
    if (bytes < 1024) return fmt::format("{} B", bytes);
    double value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    // A value that would be rounded to 1024.0 becomes 1.0 of the next unit.
    while (value >= 1023.95 && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    return fmt::format("{:.1f} {}", value, units[unit]);
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
    const std::optional<std::uint64_t> number = take_number(text);
    if (!number) return std::nullopt;
    if (text.empty() || text == "B") return number;
    constexpr std::string_view letters = "KMGT";
    const std::size_t power = letters.find(text.front());
    const std::string_view rest = text.substr(1);
    if (power == std::string_view::npos || !(rest.empty() || rest == "B" || rest == "iB")) {
        return std::nullopt;
    }
    return product(*number, std::uint64_t{1} << (10 * (power + 1)));
}

std::optional<std::int64_t> parse_age(std::string_view text) {
    const std::optional<std::uint64_t> number = take_number(text);
    if (!number || text.size() != 1) return std::nullopt;
    constexpr std::string_view letters = "smhdw";
    constexpr std::array<std::uint64_t, letters.size()> seconds = {1, 60, 3600, 86400, 604800};
    const std::size_t unit = letters.find(text.front());
    if (unit == std::string_view::npos) return std::nullopt;
    const std::optional<std::uint64_t> total = product(*number, seconds[unit]);
    if (!total || *total > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
        return std::nullopt;
    }
    return static_cast<std::int64_t>(*total);
}

std::string age_text(std::int64_t seconds) {
    seconds = std::max(seconds, std::int64_t{0});
    if (seconds < 60) return fmt::format("{} s", seconds);
    if (seconds < 3600) return fmt::format("{} min", seconds / 60);
    if (seconds < 48 * 3600) return fmt::format("{} h", seconds / 3600);
    return fmt::format("{} days", seconds / 86400);
}

std::string counted(std::uint64_t count, std::string_view noun) {
    const bool is_entry = noun == "entry";
    if (count == 1) return fmt::format("1 {}", noun);
    return is_entry ? fmt::format("{} entries", count) : fmt::format("{} {}s", count, noun);
}

}  // namespace kgen::cli
