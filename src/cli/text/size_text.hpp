// SPDX-License-Identifier: MIT
//
// Sizes, ages and counts in readable form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kgen::cli {

// Returns a text such as "812 B", "1.5 KiB", "1.0 GiB".
std::string size_text(std::uint64_t bytes);

// Parses a size such as "500M": a whole number, alone or with B, K, M, G or T (powers of 1024; also KB or KiB
// and so on). Returns nothing if the text is malformed or the size too large.
std::optional<std::uint64_t> parse_size(std::string_view text);

// Parses an age such as "30d", a whole number with s, m, h, d or w, into seconds. Returns nothing if the text
// is malformed or the age too large.
std::optional<std::int64_t> parse_age(std::string_view text);

// Returns a text such as "45 s", "12 min", "5 h", "30 days".
std::string age_text(std::int64_t seconds);

// Returns a text such as "1 file", "2 files".
std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace kgen::cli
