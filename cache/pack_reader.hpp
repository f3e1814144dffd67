// SPDX-License-Identifier: MIT
//
// PackReader: the entries of a pack. The index is verified when it is opened, an entry's bytes each
// time that it is read; nothing is believed before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "digest.hpp"
#include "entry.hpp"
#include "pack_bytes.hpp"
#include "pack_format.hpp"
#include "pack_index.hpp"

namespace kgen::cache {

struct PackFind {
    std::optional<Entry> entry;
    PackProblem problem =
        PackProblem::none;  // without an entry: why it cannot be had; else it is absent
    int error = 0;          // errno if the pack is unreadable
};

// What a pack tells of an entry without its sections' bytes.
struct PackListing {
    Digest request;
    std::string producer_identity;
    std::vector<std::pair<std::string, std::string>> metadata;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> sections;  // tag, bytes
};

class PackReader;

struct PackOpening {
    std::unique_ptr<PackReader> reader;
    PackProblem problem = PackProblem::none;
    int error = 0;  // errno if the pack is unreadable
};

// Immutable once open, so thread safe.
class PackReader {
public:
    // Memory that outlives the reader.
    static PackOpening open(std::span<const std::byte> pack);
    // An open regular file of that size.
    static PackOpening open(FileDescriptor file, std::uint64_t size_bytes);
    // The index alone stays; find_in() reads entries from the bytes that it is given, which should be
    // those of the same pack.
    static PackOpening open_index(const PackBytes& bytes, std::uint64_t size_bytes);

    // Whether there is an entry of that request, by its name.
    bool has(const Digest& request) const;

    // Which of several entries of one request may be given; an empty one: all.
    using Filter = std::function<bool(const Entry&)>;

    // The entry by that producer (the SHA-256 of its identity); without one, the first that can be
    // read and that the filter lets pass.
    PackFind find(const Digest& request,
                  const std::optional<Digest>& producer = {},
                  const Filter& is_wanted = {}) const;
    PackFind find_in(const PackBytes& bytes,
                     const Digest& request,
                     const std::optional<Digest>& producer = {},
                     const Filter& is_wanted = {}) const;

    // The entry of that number in the index; what is listed is that of none if there is a problem.
    PackProblem describe(std::size_t entry, PackListing& listing) const;

    // All entries in the order of their requests. A problem ends the list.
    PackProblem list(std::vector<PackListing>& entries) const;

    // Reads and checks every byte.
    PackProblem verify() const;

    const PackIndex& index() const noexcept { return index_; }
    const Digest& digest() const noexcept { return digest_; }  // names the contents
    std::uint64_t size_bytes() const noexcept { return size_bytes_; }

private:
    PackReader() = default;
    PackFind read(std::size_t entry, const PackBytes& bytes) const;
    // Fills in the entry but for its sections.
    PackProblem read_metadata(std::size_t entry,
                              const PackBytes& bytes,
                              Entry& found,
                              int& error) const;

    std::unique_ptr<const PackBytes> bytes_;  // nullptr: each call brings its own
    std::vector<std::byte> copy_;             // of the index, unless it lies in memory already
    PackIndex index_;
    Digest digest_;
    std::uint64_t size_bytes_ = 0;
};

// Reads and checks every byte of a pack.
PackProblem verify_pack(std::span<const std::byte> pack);

}  // namespace kgen::cache
