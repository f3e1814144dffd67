// SPDX-License-Identifier: MIT
#include "pack_index.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <utility>

#include "little_endian.hpp"

namespace kgen::cache {

namespace {

constexpr std::array<unsigned char, 8> magic = {0x93, 0x4b, 0x47, 0x50, 0x4b, 0x0d, 0x0a, 0x1a};
constexpr std::uint16_t format_version = 1;
constexpr std::size_t digest_offset = pack_header_bytes - sizeof(Digest);
constexpr std::size_t key_bytes = 2 * sizeof(Digest);

Digest digest_at(std::span<const std::byte> bytes, std::size_t offset) {
    return ByteReader(bytes.subspan(offset)).digest();
}

}  // namespace

std::vector<std::byte> encode_pack_header(const PackHeader& header) {
    std::vector<std::byte> bytes;
    bytes.reserve(pack_header_bytes);
    append_bytes(bytes, std::as_bytes(std::span(magic)));
    append_integer(bytes, format_version);
    append_integer(bytes, static_cast<std::uint16_t>(pack_header_bytes));
    append_integer(bytes, std::uint32_t{0});  // flags
    append_integer(bytes, header.entry_count);
    append_integer(bytes, header.section_count);
    append_integer(bytes, header.blob_count);
    append_integer(bytes, std::uint32_t{0});
    append_integer(bytes, header.payload_length);
    append_integer(bytes, std::uint64_t{0});
    append_bytes(bytes, header.index.bytes);
    append_integer(bytes, std::uint64_t{0});
    append_integer(bytes, std::uint64_t{0});
    append_bytes(bytes, sha256(std::span(bytes)).bytes);
    return bytes;
}

PackProblem read_pack_header(std::span<const std::byte> bytes,
                             std::uint64_t pack_bytes,
                             PackHeader& header) {
    if (bytes.size() < pack_header_bytes) return PackProblem::too_short;
    const auto own_magic = std::as_bytes(std::span(magic));
    if (!std::equal(own_magic.begin(), own_magic.end(), bytes.begin())) {
        return PackProblem::bad_magic;
    }
    ByteReader reader(bytes.subspan(magic.size()));
    if (reader.integer<std::uint16_t>() != format_version) return PackProblem::unknown_version;
    if (digest_at(bytes, digest_offset) != sha256(bytes.first(digest_offset))) {
        return PackProblem::header_damaged;
    }
    const auto length = reader.integer<std::uint16_t>();
    if (reader.integer<std::uint32_t>() != 0) return PackProblem::unknown_flag;
    PackHeader found;
    found.entry_count = reader.integer<std::uint32_t>();
    found.section_count = reader.integer<std::uint32_t>();
    found.blob_count = reader.integer<std::uint32_t>();
    const auto zero_28 = reader.integer<std::uint32_t>();
    found.payload_length = reader.integer<std::uint64_t>();
    const auto zero_40 = reader.integer<std::uint64_t>();
    found.index = reader.digest();
    const auto zero_80 = reader.integer<std::uint64_t>();
    const auto zero_88 = reader.integer<std::uint64_t>();
    if (length != pack_header_bytes || zero_28 != 0 || zero_40 != 0 || zero_80 != 0 ||
        zero_88 != 0 || found.index_length() > max_pack_index_bytes ||
        found.payload_length > max_pack_bytes) {
        return PackProblem::bad_field;
    }
    const std::uint64_t expected = pack_header_bytes + found.index_length() + found.payload_length;
    if (expected > max_pack_bytes) return PackProblem::bad_field;
    if (expected != pack_bytes) return PackProblem::wrong_length;
    header = found;
    return PackProblem::none;
}

Digest pack_digest(std::span<const std::byte> pack) {
    return digest_at(pack, digest_offset);
}

PackProblem PackIndex::assign(const PackHeader& header, std::span<const std::byte> index) {
    header_ = {};  // empty if the bytes are not valid
    bytes_ = {};
    if (index.size() != header.index_length()) return PackProblem::wrong_length;
    if (sha256(index) != header.index) return PackProblem::index_damaged;
    PackIndex candidate;
    candidate.header_ = header;
    candidate.bytes_ = index;
    if (!candidate.blobs_fit() || !candidate.entries_fit()) return PackProblem::malformed_index;
    *this = candidate;
    return PackProblem::none;
}

Digest PackIndex::request(std::size_t entry) const {
    return digest_at(key(entry), 0);
}

Digest PackIndex::producer(std::size_t entry) const {
    return digest_at(key(entry), sizeof(Digest));
}

PackBlob PackIndex::metadata(std::size_t entry) const {
    return blob(row(entry).metadata);
}

std::vector<PackSection> PackIndex::sections(std::size_t entry) const {
    const Row found = row(entry);
    std::vector<PackSection> sections;
    sections.reserve(found.section_count);
    for (std::uint32_t k = 0; k < found.section_count; ++k) {
        ByteReader reader(section_row(found.first_section + k));
        const auto tag = reader.integer<std::uint32_t>();
        sections.push_back({tag, blob(reader.integer<std::uint32_t>())});
    }
    return sections;
}

PackBlob PackIndex::blob(std::size_t number) const {
    const std::size_t at = bytes_.size() - (header_.blob_count - number) * pack_blob_row_bytes;
    ByteReader reader(bytes_.subspan(at, pack_blob_row_bytes));
    return {.offset = pack_header_bytes + bytes_.size() + reader.integer<std::uint64_t>(),
            .length = reader.integer<std::uint64_t>(),
            .digest = reader.digest()};
}

std::size_t PackIndex::lower_bound(const Digest& request) const {
    std::size_t low = 0;
    std::size_t high = size();
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (std::memcmp(key(middle).data(), request.bytes.data(), sizeof request) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

PackIndex::Row PackIndex::row(std::size_t entry) const {
    ByteReader reader(
        bytes_.subspan(entry * pack_entry_row_bytes, pack_entry_row_bytes).subspan(key_bytes));
    return {.metadata = reader.integer<std::uint32_t>(),
            .section_count = reader.integer<std::uint32_t>(),
            .first_section = reader.integer<std::uint32_t>(),
            .zero = reader.integer<std::uint32_t>()};
}

std::span<const std::byte> PackIndex::key(std::size_t entry) const {
    return bytes_.subspan(entry * pack_entry_row_bytes, key_bytes);
}

std::span<const std::byte> PackIndex::section_row(std::size_t section) const {
    return bytes_.subspan(
        header_.entry_count * pack_entry_row_bytes + section * pack_section_row_bytes,
        pack_section_row_bytes);
}

// Checks that the blobs follow each other without gaps and have the total length that the header states.
bool PackIndex::blobs_fit() const {
    const std::uint64_t begin = pack_header_bytes + bytes_.size();
    std::uint64_t end = 0;
    for (std::size_t k = 0; k < header_.blob_count; ++k) {
        const PackBlob found = blob(k);
        if (found.offset != begin + end || found.length > header_.payload_length - end) {
            return false;
        }
        end += found.length;
    }
    return end == header_.payload_length;
}

bool PackIndex::entries_fit() const {
    std::uint32_t used_blobs = 0;     // blobs below this number were used by earlier entries
    std::uint32_t used_sections = 0;  // the same for sections
    const auto use = [&](std::uint32_t number) {
        if (number >= header_.blob_count || number > used_blobs) return false;
        used_blobs = std::max(used_blobs, number + 1);
        return true;
    };
    for (std::size_t k = 0; k < size(); ++k) {
        const Row found = row(k);
        const bool ascends = k == 0 || std::memcmp(key(k - 1).data(), key(k).data(), key_bytes) < 0;
        if (!ascends || found.zero != 0 || found.first_section != used_sections ||
            found.section_count > max_sections ||
            found.section_count > header_.section_count - used_sections ||
            found.metadata != used_blobs || !use(found.metadata) ||
            blob(found.metadata).length > max_metadata_bytes) {
            return false;
        }
        used_sections += found.section_count;
        std::uint64_t length = 0;
        for (std::uint32_t j = found.first_section; j < used_sections; ++j) {
            const auto number = ByteReader(section_row(j).subspan(4)).integer<std::uint32_t>();
            if (!use(number)) return false;
            length += blob(number).length;
        }
        if (length > max_payload_bytes) return false;
    }
    return used_blobs == header_.blob_count && used_sections == header_.section_count;
}

std::vector<std::uint64_t> entry_shares(const PackIndex& index) {
    const auto for_each_blob = [&](std::size_t entry, const auto& use) {
        use(index.metadata(entry));
        for (const PackSection& section : index.sections(entry)) use(section.blob);
    };
    // The offset alone is not unique: an empty blob begins at the same offset as the next one.
    const auto key = [](const PackBlob& blob) { return std::pair(blob.offset, blob.length); };
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> uses;
    for (std::size_t k = 0; k < index.size(); ++k) {
        for_each_blob(k, [&](const PackBlob& blob) { ++uses[key(blob)]; });
    }
    std::vector<std::uint64_t> shares(index.size());
    for (std::size_t k = 0; k < index.size(); ++k) {
        for_each_blob(k, [&](const PackBlob& blob) { shares[k] += blob.length / uses[key(blob)]; });
    }
    return shares;
}

}  // namespace kgen::cache
