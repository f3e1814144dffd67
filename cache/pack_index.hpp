// SPDX-License-Identifier: MIT
//
// PackIndex: what stands before a pack's blobs, verified (pack_format.hpp has the layout). Opening costs a
// digest of the index and one walk through it; an entry is found by bisection.
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

// The checks of the first 128 bytes against the length of the whole pack: what must hold before
// memory for the index is allocated. Fills in `header` if there is no problem.
PackProblem read_pack_header(std::span<const std::byte> bytes,
                             std::uint64_t pack_bytes,
                             PackHeader& header);

// The pack's digest: the header's own. `pack` begins with a header that was checked.
Digest pack_digest(std::span<const std::byte> pack);

// Where a blob lies, and what it must be.
struct PackBlob {
    std::uint64_t offset = 0;  // from the pack's begin
    std::uint64_t length = 0;
    Digest digest;
};

struct PackSection {
    std::uint32_t tag = 0;
    PackBlob blob;
};

// A view of the index's bytes, which must stay. Immutable, so thread safe.
class PackIndex {
public:
    // Verifies the bytes and everything that reading relies on; without a problem the index is
    // usable.
    PackProblem assign(const PackHeader& header, std::span<const std::byte> index);

    std::size_t size() const noexcept { return header_.entry_count; }
    Digest request(std::size_t entry) const;
    Digest producer(std::size_t entry) const;  // SHA-256 of its identity
    PackBlob metadata(std::size_t entry) const;
    std::vector<PackSection> sections(std::size_t entry) const;
    // All of the pack, in their order.
    std::size_t blob_count() const noexcept { return header_.blob_count; }
    PackBlob blob(std::size_t number) const;

    // The first entry that is not before that request; size() if all are.
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

// How many of the blobs' bytes are each entry's: those of a blob that several entries name are divided
// among them.
std::vector<std::uint64_t> entry_shares(const PackIndex& index);

}  // namespace kgen::cache
