// SPDX-License-Identifier: MIT
//
// Sizes, ages and counts as people write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kgen::cli {

// "812 B", "1.5 KiB", "1.0 GiB"
std::string size_text(std::uint64_t bytes);

// "500M": a whole number and nothing, B, or K, M, G, T (powers of 1024) with or without B or iB. Nothing
// for what does not read or fit.
std::optional<std::uint64_t> parse_size(std::string_view text);

// A whole number and s, m, h, d or w: "30d", in seconds. Nothing for what does not read or fit.
std::optional<std::int64_t> parse_age(std::string_view text);

// "45 s", "12 min", "5 h", "30 days"
std::string age_text(std::int64_t seconds);

// "1 file", "2 files"
std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace kgen::cli
