// SPDX-License-Identifier: MIT
//
// Entry: what one cache file holds, and its bytes. encode_entry and decode_entry are pure
// functions; decode_entry accepts any input, however hostile, and believes nothing that a digest
// does not cover.
//
// Format 1, all integers little-endian:
//
//     entry    = header metadata table payload
//     offset size  header                                       on read
//          0    8  magic 93 4B 47 45 4E 0D 0A 1A                text-mode and 7-bit damage shows
//          here 8    2  format version, 1                            other: a miss; the file is
//          left alone
//         10    2  header length, 192                           must be 192
//         12    4  flags, none defined yet                      any bit: a miss; the file is left
//         alone 16    8  creation time, seconds since 1970            information only 24    4
//         metadata length                              <= 1 MiB 28    4  number of sections <= 64
//         32    8  payload length                               <= 1 GiB
//         40    8  zero                                         must be zero
//         48   32  request digest                               must be the one asked for
//         80   32  SHA-256 of the producer identity             must fit the metadata and the
//         file's name
//        112   32  SHA-256 of metadata and table
//        144   16  zero                                         must be zero
//        160   32  SHA-256 of bytes 0 to 159                    checked before any field but magic
//        and
//                                                               version is believed
//     metadata = { tag u16, length u32, value }
//                  tag 1: the producer identity, exactly once
//                  tag 2: name length u16, name, text           any number, in order
//                  other tags: skipped
//     table    = { section tag u32, zero u32, length u64, SHA-256 of the section's bytes }
//     payload  = the sections' bytes, in the table's order, with nothing between or after them
//
// The file is exactly header + metadata + table + payload long. Each byte is covered by one digest:
// the header's own, the header's of metadata and table, or the table's of a section.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "digest.hpp"

namespace kgen::cache {

inline constexpr std::size_t entry_header_bytes = 192;
inline constexpr std::size_t max_metadata_bytes = std::size_t{1} << 20;
inline constexpr std::size_t max_payload_bytes = std::size_t{1} << 30;
inline constexpr std::size_t max_sections = 64;

// section_tag("cubn"): four characters as a little-endian number. What the tags mean is the
// caller's.
constexpr std::uint32_t section_tag(const char (&text)[5]) {
    std::uint32_t tag = 0;
    for (unsigned k = 0; k < 4; ++k) {
        tag |= std::uint32_t{static_cast<unsigned char>(text[k])} << (8 * k);
    }
    return tag;
}

struct Section {
    std::uint32_t tag = 0;
    std::vector<std::byte> bytes;

    friend bool operator==(const Section&, const Section&) = default;
};

struct Entry {
    Digest request;                 // what was asked for
    std::string producer_identity;  // who made it; equal identities make equal bytes
    std::int64_t created_s = 0;     // since 1970; Store::put fills it in if it is 0
    std::vector<std::pair<std::string, std::string>> metadata;
    std::vector<Section> sections;

    // The first section with that tag, or nullptr.
    const Section* find(std::uint32_t tag) const noexcept;
    // The first metadata value of that name.
    std::optional<std::string_view> value(std::string_view name) const noexcept;

    friend bool operator==(const Entry&, const Entry&) = default;
};

// Why bytes are no entry.
enum class DecodeProblem : std::uint8_t {
    none,
    too_short,
    bad_magic,
    unknown_version,
    header_damaged,
    unknown_flag,
    bad_field,
    wrong_length,
    index_damaged,
    malformed_metadata,
    malformed_table,
    section_damaged,
    foreign_producer,
};

// "the header does not match its checksum"
std::string_view to_text(DecodeProblem problem) noexcept;

// True if a newer kgen may have written the bytes, so that the file must be left alone.
bool may_be_newer(DecodeProblem problem) noexcept;

struct DecodeResult {
    std::optional<Entry> entry;
    DecodeProblem problem = DecodeProblem::none;
};

// Throws std::length_error, naming the part and the limit, if the entry is over one.
std::vector<std::byte> encode_entry(const Entry& entry);

DecodeResult decode_entry(std::span<const std::byte> file);

// The checks of the first 192 bytes alone, against the length of the whole file: what must hold
// before memory for the rest is allocated.
DecodeProblem check_header(std::span<const std::byte> header, std::uint64_t file_bytes);

}  // namespace kgen::cache
