// SPDX-License-Identifier: MIT
#include "pack_reader.hpp"

#include <algorithm>
#include <array>

namespace kgen::cache {

namespace {

PackProblem problem_of_read(int error) {
    return error < 0 ? PackProblem::wrong_length : PackProblem::unreadable;
}

PackOpening fail(PackProblem problem, int error = 0) {
    return {.problem = problem, .error = std::max(error, 0)};
}

PackFind fail_find(PackProblem problem, int error = 0) {
    return {.problem = problem, .error = std::max(error, 0)};
}

// Reads a blob and checks its digest.
PackProblem read_blob(const PackBlob& blob,
                      const PackBytes& bytes,
                      std::vector<std::byte>& out,
                      int& error) {
    out.resize(static_cast<std::size_t>(blob.length));
    error = bytes(blob.offset, out);
    if (error != 0) return problem_of_read(error);
    return sha256(out) == blob.digest ? PackProblem::none : PackProblem::blob_damaged;
}

}  // namespace

PackBytes pack_bytes(std::span<const std::byte> memory) {
    return [memory](std::uint64_t offset, std::span<std::byte> out) {
        if (offset > memory.size() || out.size() > memory.size() - offset) return -1;
        std::ranges::copy(memory.subspan(static_cast<std::size_t>(offset), out.size()),
                          out.begin());
        return 0;
    };
}

PackBytes pack_bytes(const FileDescriptor& file) {
    return [number = file.get()](std::uint64_t offset, std::span<std::byte> out) {
        return read_all(number, offset, out);
    };
}

PackOpening PackReader::open(std::span<const std::byte> pack) {
    PackHeader header;
    PackProblem problem = read_pack_header(pack, pack.size(), header);
    if (problem != PackProblem::none) return fail(problem);
    PackOpening opening;
    opening.reader.reset(new PackReader);
    PackReader& reader = *opening.reader;
    const auto length = static_cast<std::size_t>(header.index_length());
    problem = reader.index_.assign(header, pack.subspan(pack_header_bytes, length));
    if (problem != PackProblem::none) return fail(problem);
    reader.bytes_ = pack_bytes(pack);
    reader.digest_ = pack_digest(pack);
    reader.size_bytes_ = pack.size();
    return opening;
}

PackOpening PackReader::open(FileDescriptor file, std::uint64_t size_bytes) {
    PackOpening opening = open_index(pack_bytes(file), size_bytes);
    if (opening.reader == nullptr) return opening;
    PackReader& reader = *opening.reader;
    reader.file_ = std::move(file);
    reader.bytes_ = pack_bytes(reader.file_);
    return opening;
}

PackOpening PackReader::open_index(const PackBytes& bytes, std::uint64_t size_bytes) {
    if (size_bytes < pack_header_bytes) return fail(PackProblem::too_short);
    std::array<std::byte, pack_header_bytes> start;
    if (const int error = bytes(0, start); error != 0) {
        return fail(problem_of_read(error), error);
    }
    // Check the header before allocating memory, because it bounds the size.
    PackHeader header;
    PackProblem problem = read_pack_header(start, size_bytes, header);
    if (problem != PackProblem::none) return fail(problem);
    PackOpening opening;
    opening.reader.reset(new PackReader);
    PackReader& reader = *opening.reader;
    reader.copy_.resize(static_cast<std::size_t>(header.index_length()));
    if (const int error = bytes(pack_header_bytes, reader.copy_); error != 0) {
        return fail(problem_of_read(error), error);
    }
    problem = reader.index_.assign(header, reader.copy_);
    if (problem != PackProblem::none) return fail(problem);
    reader.digest_ = pack_digest(start);
    reader.size_bytes_ = size_bytes;
    return opening;
}

bool PackReader::has(const Digest& request) const {
    const std::size_t place = index_.lower_bound(request);
    return place < index_.size() && index_.request(place) == request;
}

PackFind PackReader::find(const Digest& request,
                          const std::optional<Digest>& producer,
                          const Filter& is_wanted) const {
    if (!bytes_) return fail_find(PackProblem::unreadable);
    return find_in(bytes_, request, producer, is_wanted);
}

PackFind PackReader::find_in(const PackBytes& bytes,
                             const Digest& request,
                             const std::optional<Digest>& producer,
                             const Filter& is_wanted) const {
    PackFind first;
    for (std::size_t k = index_.lower_bound(request);
         k < index_.size() && index_.request(k) == request;
         ++k) {
        if (producer && index_.producer(k) != *producer) continue;
        PackFind found = read(k, bytes);
        if (!found.entry) {
            if (first.problem == PackProblem::none) first = std::move(found);
        } else if (!is_wanted || is_wanted(*found.entry)) {
            return found;
        }
    }
    return first;
}

PackProblem PackReader::read_metadata(std::size_t entry,
                                      const PackBytes& bytes,
                                      Entry& found,
                                      int& error) const {
    std::vector<std::byte> metadata;
    const PackProblem problem = read_blob(index_.metadata(entry), bytes, metadata, error);
    if (problem != PackProblem::none) return problem;
    if (!decode_metadata(metadata, found)) return PackProblem::malformed_metadata;
    found.request = index_.request(entry);
    return sha256(found.producer_identity) == index_.producer(entry)
               ? PackProblem::none
               : PackProblem::foreign_producer;
}

PackFind PackReader::read(std::size_t entry, const PackBytes& bytes) const {
    Entry found;
    int error = 0;
    PackProblem problem = read_metadata(entry, bytes, found, error);
    if (problem != PackProblem::none) return fail_find(problem, error);
    for (const PackSection& section : index_.sections(entry)) {
        Section& part = found.sections.emplace_back();
        part.tag = section.tag;
        problem = read_blob(section.blob, bytes, part.bytes, error);
        if (problem != PackProblem::none) return fail_find(problem, error);
    }
    return {.entry = std::move(found)};
}

PackProblem PackReader::describe(std::size_t entry, PackListing& listing) const {
    if (!bytes_) return PackProblem::unreadable;
    Entry found;
    int error = 0;
    const PackProblem problem = read_metadata(entry, bytes_, found, error);
    if (problem != PackProblem::none) return problem;
    listing.request = found.request;
    listing.producer_identity = std::move(found.producer_identity);
    listing.metadata = std::move(found.metadata);
    for (const PackSection& section : index_.sections(entry)) {
        listing.sections.emplace_back(section.tag, section.blob.length);
    }
    return PackProblem::none;
}

PackProblem PackReader::list(std::vector<PackListing>& entries) const {
    for (std::size_t k = 0; k < index_.size(); ++k) {
        PackListing listing;
        if (const PackProblem problem = describe(k, listing); problem != PackProblem::none) {
            return problem;
        }
        entries.push_back(std::move(listing));
    }
    return PackProblem::none;
}

PackProblem PackReader::verify() const {
    for (std::size_t k = 0; k < index_.size(); ++k) {
        PackListing listing;
        if (const PackProblem problem = describe(k, listing); problem != PackProblem::none) {
            return problem;
        }
    }
    std::vector<std::byte> bytes;
    for (std::size_t k = 0; k < index_.blob_count(); ++k) {
        int error = 0;
        const PackProblem problem = read_blob(index_.blob(k), bytes_, bytes, error);
        if (problem != PackProblem::none) return problem;
    }
    return PackProblem::none;
}

PackProblem verify_pack(std::span<const std::byte> pack) {
    const PackOpening opening = PackReader::open(pack);
    return opening.reader == nullptr ? opening.problem : opening.reader->verify();
}

}  // namespace kgen::cache
