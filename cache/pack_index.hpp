// SPDX-License-Identifier: MIT
//
// PackIndex: the verified header and index of a pack (layout: pack_format.hpp). Opening costs one digest and
// one pass over the index. An entry is found by binary search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "digest.hpp"
#include "pack_format.hpp"

namespace kgen::cache {

struct PackHeader {
    std::uint32_t entry_count = 0;
    std::uint32_t section_count = 0;
    std::uint32_t blob_count = 0;
    std::uint64_t payload_length = 0;
    Digest index = {};

    std::uint64_t index_length() const noexcept {
        return std::uint64_t{entry_count} * pack_entry_row_bytes +
               std::uint64_t{section_count} * pack_section_row_bytes +
               std::uint64_t{blob_count} * pack_blob_row_bytes;
    }
};

std::vector<std::byte> encode_pack_header(const PackHeader& header);

// Checks the first 128 bytes against the length of the whole pack, and fills in `header` if there is no
// problem. Call it before allocating memory for the index.
PackProblem read_pack_header(std::span<const std::byte> bytes,
                             std::uint64_t pack_bytes,
                             PackHeader& header);

// Returns the pack's digest, which is the header's own. `pack` must begin with a verified header.
Digest pack_digest(std::span<const std::byte> pack);

// Position and expected digest of a blob.
struct PackBlob {
    std::uint64_t offset = 0;  // from the beginning of the pack
    std::uint64_t length = 0;
    Digest digest;
};

struct PackSection {
    std::uint32_t tag = 0;
    PackBlob blob;
};

// A view of the bytes of an index, which must outlive it. Immutable after assign(), so thread-safe.
class PackIndex {
public:
    // Verifies the bytes and everything that reading relies on. The index is usable if it returns
    // PackProblem::none, and empty otherwise.
    PackProblem assign(const PackHeader& header, std::span<const std::byte> index);

    std::size_t size() const noexcept { return header_.entry_count; }
    Digest request(std::size_t entry) const;
    Digest producer(std::size_t entry) const;  // SHA-256 of the producer identity
    PackBlob metadata(std::size_t entry) const;
    std::vector<PackSection> sections(std::size_t entry) const;
    // All blobs of the pack, in order.
    std::size_t blob_count() const noexcept { return header_.blob_count; }
    PackBlob blob(std::size_t number) const;

    // Returns the first entry that does not sort before the request; size() if there is none.
    std::size_t lower_bound(const Digest& request) const;

private:
    struct Row {
        std::uint32_t metadata = 0;
        std::uint32_t section_count = 0;
        std::uint32_t first_section = 0;
        std::uint32_t zero = 0;
    };

    Row row(std::size_t entry) const;
    std::span<const std::byte> key(std::size_t entry) const;
    std::span<const std::byte> section_row(std::size_t section) const;
    bool entries_fit() const;
    bool blobs_fit() const;

    PackHeader header_;
    std::span<const std::byte> bytes_;
};

// Returns the size of each entry in bytes. The bytes of a shared blob are divided equally among its uses.
std::vector<std::uint64_t> entry_shares(const PackIndex& index);

}  // namespace kgen::cache
