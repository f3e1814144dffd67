// SPDX-License-Identifier: MIT
//
// A pack: many entries in one file or in memory. Each distinct piece of bytes (a blob) is stored once, so
// entries may share compiled code. Digests alone identify the entries. A pack contains no paths and no
// compressed data.
//
// Format 1, all integers little-endian:
//
//     pack     = header index blobs
//     offset size  header                                       reader
//          0    8  magic 93 4B 47 50 4B 0D 0A 1A
//          8    2  format version, 1                            other: the pack is left alone
//         10    2  header length, 128                           must be 128
//         12    4  flags, none defined yet                      any bit: the pack is left alone
//         16    4  number of entries
//         20    4  number of sections of all entries
//         24    4  number of blobs
//         28    4  zero                                         must be zero
//         32    8  length of all blobs
//         40    8  zero                                         must be zero
//         48   32  SHA-256 of the index
//         80   16  zero                                         must be zero
//         96   32  SHA-256 of bytes 0 to 95: the pack's digest  checked before all fields but magic
//                                                               and version
//     index    = entries sections blob rows                     <= 64 MiB
//     entry    = { request digest, SHA-256 of the producer identity, metadata's blob u32,
//                  number of sections u32, first section u32, zero u32 }
//                  in strictly ascending order of request and producer; the sections of an entry
//                  follow those of the preceding entry
//     section  = { tag u32, blob u32 }
//     blob row = { offset u64, length u64, SHA-256 of the blob's bytes }
//                  offsets count from the first blob; each blob begins at the end of the preceding one
//     blobs    = the blobs' bytes, in the order of their first use by the entries (metadata before
//                sections); each blob is used by at least one entry; metadata are never shared, so
//                a listing is never larger than the pack
//
// The pack is exactly header + index + blobs long, and at most 4 GiB. One digest covers each byte: the
// header's own, the one in the header for the index, or the one in the index for a blob. Through these the
// pack's digest covers the whole pack and identifies its contents. The limits of an entry (entry.hpp) apply
// to each entry of a pack. Metadata are encoded as in an entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "digest.hpp"
#include "entry.hpp"

namespace kgen::cache {

inline constexpr std::size_t pack_header_bytes = 128;
inline constexpr std::size_t pack_entry_row_bytes = 2 * sizeof(Digest) + 16;
inline constexpr std::size_t pack_section_row_bytes = 8;
inline constexpr std::size_t pack_blob_row_bytes = 16 + sizeof(Digest);
inline constexpr std::uint64_t max_pack_index_bytes = std::uint64_t{1} << 26;
inline constexpr std::uint64_t max_pack_bytes = std::uint64_t{1} << 32;

// Reason why bytes are not a valid pack, or why an entry of a pack cannot be read.
enum class PackProblem : std::uint8_t {
    none,
    too_short,
    bad_magic,
    unknown_version,
    header_damaged,
    unknown_flag,
    bad_field,
    wrong_length,
    index_damaged,
    malformed_index,
    blob_damaged,
    malformed_metadata,
    foreign_producer,
    unreadable,  // the system reported an error
};

// Returns a description such as "the index does not match its checksum".
std::string_view to_text(PackProblem problem) noexcept;

// Returns true if a newer kgen may have written the bytes. Such a pack must be left alone.
bool may_be_newer(PackProblem problem) noexcept;

// Encodes a pack. Its bytes do not depend on the order of the entries or on their creation times, because
// created_s is not stored. Equal entries are stored once. Throws std::invalid_argument for two different
// entries of one request and producer, and a std::length_error that names the part and the limit if a part
// exceeds its limit.
std::vector<std::byte> encode_pack(std::vector<Entry> entries);

}  // namespace kgen::cache
