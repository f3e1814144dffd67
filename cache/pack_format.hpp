// SPDX-License-Identifier: MIT
//
// A pack: many entries in one file, or in memory. Each distinct piece of bytes is stored once, so
// that entries may share a cubin of several kernels. Nothing in a pack is a path: an entry has no
// name but its digests, and nothing is compressed.
//
// Format 1, all integers little-endian:
//
//     pack     = header index blobs
//     offset size  header                                       on read
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
//         96   32  SHA-256 of bytes 0 to 95: the pack's digest  checked before any field but magic
//                                                               and version is believed
//     index    = entries sections blob rows                     <= 64 MiB
//     entry    = { request digest, SHA-256 of the producer identity, metadata's blob u32,
//                  number of sections u32, first section u32, zero u32 }
//                  in strictly ascending order of request and producer; its sections follow those of
//                  the entry before
//     section  = { tag u32, blob u32 }
//     blob row = { offset u64, length u64, SHA-256 of the blob's bytes }
//                  offsets count from the first blob; each blob begins where the one before ends
//     blobs    = the blobs' bytes, in the order of their first use by the entries (metadata before
//                sections), each used by at least one entry; metadata are never shared, so that
//                a listing is never larger than the pack
//
// The pack is exactly header + index + blobs long, and at most 4 GiB. Each byte is covered by one
// digest: the header's own, the header's of the index, or the index's of a blob. The pack's digest
// covers them all through these, so that it names the contents. The limits of an entry (entry.hpp)
// hold for each entry of a pack. Metadata are encoded as in an entry.
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

// Why bytes are no pack, or an entry of one cannot be had.
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
    unreadable,  // the system refused
};

// "the index does not match its checksum"
std::string_view to_text(PackProblem problem) noexcept;

// True if a newer kgen may have written the bytes, so that they must be left alone.
bool may_be_newer(PackProblem problem) noexcept;

// The same entries give the same bytes, in whatever order they come and whenever they were made
// (created_s is not kept). Equal entries are stored once. Throws std::invalid_argument for two
// different entries of one request and producer, std::length_error, naming the part and the limit,
// for what is over one.
std::vector<std::byte> encode_pack(std::vector<Entry> entries);

}  // namespace kgen::cache
