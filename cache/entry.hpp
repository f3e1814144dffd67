// SPDX-License-Identifier: MIT
//
// Entry: the contents of one cache file, and their encoding. encode_entry and decode_entry are pure
// functions. decode_entry is safe for any input, however hostile, and uses only bytes that a digest covers.
//
// Format 1, all integers little-endian:
//
//     entry    = header metadata table payload
//     offset size  header                                 reader
//          0    8  magic 93 4B 47 45 4E 0D 0A 1A          detects text-mode and 7-bit transfers
//          8    2  format version, 1                      other values: a miss; the file is left alone
//         10    2  header length, 192                     must be 192
//         12    4  flags, none defined yet                any bit: a miss; the file is left alone
//         16    8  creation time, seconds since 1970      information only
//         24    4  metadata length                        <= 1 MiB
//         28    4  number of sections                     <= 64
//         32    8  payload length                         <= 1 GiB
//         40    8  zero                                   must be zero
//         48   32  request digest                         must be the requested one
//         80   32  SHA-256 of the producer identity       must match the metadata and the file name
//        112   32  SHA-256 of metadata and table
//        144   16  zero                                   must be zero
//        160   32  SHA-256 of bytes 0 to 159              checked before all fields but magic and version
//     metadata = { tag u16, length u32, value }
//                  tag 1: the producer identity, exactly once
//                  tag 2: name length u16, name, text           any number, in order
//                  other tags: skipped
//     table    = { section tag u32, zero u32, length u64, SHA-256 of the section's bytes }
//     payload  = the bytes of the sections in the order of the table, without gaps
//
// The file is exactly header + metadata + table + payload long. One digest covers each byte: the header's
// own, the one in the header for metadata and table, or the one in the table for a section.
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

// Returns four characters as a little-endian number: section_tag("cubn"). The caller defines the tags.
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
    Digest request;                 // digest of the inputs, except the producer
    std::string producer_identity;  // identifies the compiler; equal identities make equal bytes
    std::int64_t created_s = 0;     // seconds since 1970; Store::put sets it if it is 0
    std::vector<std::pair<std::string, std::string>> metadata;
    std::vector<Section> sections;

    // Returns the first section with this tag, or nullptr.
    const Section* find(std::uint32_t tag) const noexcept;
    // Returns the first metadata value with this name, or nothing.
    std::optional<std::string_view> value(std::string_view name) const noexcept;

    friend bool operator==(const Entry&, const Entry&) = default;
};

// Reason why bytes are not a valid entry.
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

// Returns a description such as "the header does not match its checksum".
std::string_view to_text(DecodeProblem problem) noexcept;

// Returns true if a newer kgen may have written the bytes. Such a file must be left alone.
bool may_be_newer(DecodeProblem problem) noexcept;

struct DecodeResult {
    std::optional<Entry> entry;
    DecodeProblem problem = DecodeProblem::none;
};

// Throws a std::length_error that names the part and the limit if a part of the entry exceeds its limit.
std::vector<std::byte> encode_entry(const Entry& entry);

DecodeResult decode_entry(std::span<const std::byte> file);

// Checks the first 192 bytes against the length of the whole file. Call it before allocating memory for the
// rest.
DecodeProblem check_header(std::span<const std::byte> header, std::uint64_t file_bytes);

// Returns the metadata as entry files and packs hold them. Throws a std::length_error that names the part and
// the limit if the metadata exceed a limit.
std::vector<std::byte> encode_metadata(const Entry& entry);

// Fills in the entry's producer identity and metadata. Returns false if the bytes cannot be decoded.
bool decode_metadata(std::span<const std::byte> bytes, Entry& entry);

// Throws std::length_error "<part>: got 2, at most 1 fit" if `got` exceeds `limit`.
void check_limit(std::string_view part, std::uint64_t got, std::uint64_t limit);

}  // namespace kgen::cache
