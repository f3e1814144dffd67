// SPDX-License-Identifier: MIT
//
// What the text of a setting stands for. The whole text is read or nothing: no sign, no exponent, no
// blank around it, nothing that does not fit.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace kgen::cache {

inline constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

// "1073741824", "512M", "2 GiB" (K, M, G, T and KiB, MiB, GiB, TiB are powers of 1024), "unlimited".
// Nothing for 0.
std::optional<std::uint64_t> read_size(std::string_view text);

// "50000" or "unlimited". Nothing for 0.
std::optional<std::uint64_t> read_count(std::string_view text);

// Seconds, "20" or "0.25"; at most 9 digits before the point.
std::optional<std::chrono::milliseconds> read_seconds(std::string_view text);

}  // namespace kgen::cache
