// SPDX-License-Identifier: MIT
//
// The metadata of an entry as bytes, as entry files and packs hold them (entry.hpp has the layout).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "entry.hpp"

namespace kgen::cache {

// Throws std::length_error, naming the part and the limit, if they are over one.
std::vector<std::byte> encode_metadata(const Entry& entry);

// Fills in the entry's producer identity and metadata; false if the bytes do not read.
bool decode_metadata(std::span<const std::byte> bytes, Entry& entry);

// Throws std::length_error: "<part>: got 2, at most 1 fit".
void check_limit(std::string_view part, std::uint64_t got, std::uint64_t limit);

}  // namespace kgen::cache
