// SPDX-License-Identifier: MIT
//
// Parsers for the values of settings. Each accepts the whole text or returns nothing. Signs, exponents,
// surrounding blanks and numbers that are too large are not accepted.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace kgen::cache {

inline constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

// Reads a size in bytes: "1073741824", "512M", "2 GiB" or "unlimited". K, M, G, T and KiB, MiB, GiB, TiB are
// powers of 1024. Returns nothing for 0.
std::optional<std::uint64_t> read_size(std::string_view text);

// Reads "50000" or "unlimited". Returns nothing for 0.
std::optional<std::uint64_t> read_count(std::string_view text);

// Reads seconds such as "20" or "0.25", with at most 9 digits before the point.
std::optional<std::chrono::milliseconds> read_seconds(std::string_view text);

}  // namespace kgen::cache
