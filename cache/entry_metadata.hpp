// SPDX-License-Identifier: MIT
//
// Encoding of an entry's metadata in entry files and packs. entry.hpp documents the layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "entry.hpp"

namespace kgen::cache {

// Throws a std::length_error that names the part and the limit if the metadata exceed a limit.
std::vector<std::byte> encode_metadata(const Entry& entry);

// Fills in the entry's producer identity and metadata. Returns false if the bytes cannot be decoded.
bool decode_metadata(std::span<const std::byte> bytes, Entry& entry);

// Throws std::length_error "<part>: got 2, at most 1 fit" if `got` exceeds `limit`.
void check_limit(std::string_view part, std::uint64_t got, std::uint64_t limit);

}  // namespace kgen::cache
