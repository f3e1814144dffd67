// SPDX-License-Identifier: MIT
//
// PackReader: reads the entries of a pack. The index is verified when the pack is opened, the bytes of an
// entry each time that it is read. Unverified bytes are never used.
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
#include "file_descriptor.hpp"
#include "pack_format.hpp"
#include "pack_index.hpp"

namespace kgen::cache {

// Reads the bytes of a pack: fills `out` from `offset` on. Returns 0, errno, or -1 if the pack ends too
// early. Thread-safe.
using PackBytes = std::function<int(std::uint64_t offset, std::span<std::byte> out)>;

// Return the bytes of a pack in memory or in an open file, which must outlive the result. Files are never
// mapped, because reading a mapped file that another machine truncates would kill the process.
PackBytes pack_bytes(std::span<const std::byte> memory);
PackBytes pack_bytes(const FileDescriptor& file);

struct PackFind {
    std::optional<Entry> entry;
    // Why an existing entry cannot be read; `none` for a hit or an absent entry.
    PackProblem problem = PackProblem::none;
    int error = 0;  // errno if the pack is unreadable
};

// Description of an entry in a pack, without the bytes of its sections.
struct PackListing {
    Digest request;
    std::string producer_identity;
    std::vector<std::pair<std::string, std::string>> metadata;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> sections;  // tag, length in bytes
};

class PackReader;

struct PackOpening {
    std::unique_ptr<PackReader> reader;
    PackProblem problem = PackProblem::none;
    int error = 0;  // errno if the pack is unreadable
};

// Immutable after opening, so thread-safe.
class PackReader {
public:
    // Opens a pack that is held in memory. The memory must outlive the reader.
    static PackOpening open(std::span<const std::byte> pack);
    // Opens a pack in an open regular file of this size.
    static PackOpening open(FileDescriptor file, std::uint64_t size_bytes);
    // Keeps only the index. Entries are read by find_in(), which gets the bytes of the same pack at each
    // call.
    static PackOpening open_index(const PackBytes& bytes, std::uint64_t size_bytes);

    // Returns whether the index has an entry of the request. Reads no entry.
    bool has(const Digest& request) const;

    // Returns whether an entry may be used. An empty filter accepts all entries.
    using Filter = std::function<bool(const Entry&)>;

    // Return the first entry of the request that can be read and that the filter accepts. `producer`, the
    // SHA-256 of a producer identity, restricts the search to that producer.
    PackFind find(const Digest& request,
                  const std::optional<Digest>& producer = {},
                  const Filter& is_wanted = {}) const;
    PackFind find_in(const PackBytes& bytes,
                     const Digest& request,
                     const std::optional<Digest>& producer = {},
                     const Filter& is_wanted = {}) const;

    // Describes the entry with this number in the index. `listing` is unspecified if there is a problem.
    PackProblem describe(std::size_t entry, PackListing& listing) const;

    // Appends all entries in the order of their requests. Stops at the first problem.
    PackProblem list(std::vector<PackListing>& entries) const;

    // Reads and checks every byte.
    PackProblem verify() const;

    const PackIndex& index() const noexcept { return index_; }
    const Digest& digest() const noexcept { return digest_; }  // identifies the contents
    std::uint64_t size_bytes() const noexcept { return size_bytes_; }

private:
    PackReader() = default;
    PackFind read(std::size_t entry, const PackBytes& bytes) const;
    // Fills in the entry except for its sections.
    PackProblem read_metadata(std::size_t entry,
                              const PackBytes& bytes,
                              Entry& found,
                              int& error) const;

    FileDescriptor file_;          // open after open() of a file
    PackBytes bytes_;              // empty after open_index()
    std::vector<std::byte> copy_;  // copy of the index; empty for packs in memory
    PackIndex index_;
    Digest digest_;
    std::uint64_t size_bytes_ = 0;
};

// Reads and checks every byte of a pack.
PackProblem verify_pack(std::span<const std::byte> pack);

}  // namespace kgen::cache
