// SPDX-License-Identifier: MIT
#include "entry.hpp"

#include <algorithm>
#include <stdexcept>

#include "enum_text.hpp"
#include "little_endian.hpp"

namespace kgen::cache {

namespace {

constexpr std::array<unsigned char, 8> magic = {0x93, 0x4b, 0x47, 0x45, 0x4e, 0x0d, 0x0a, 0x1a};
constexpr std::uint16_t format_version = 1;
constexpr std::size_t header_digest_offset = entry_header_bytes - sizeof(Digest);
constexpr std::size_t table_row_bytes = 4 + 4 + 8 + sizeof(Digest);

using Bytes = std::vector<std::byte>;
using View = std::span<const std::byte>;

struct Header {
    std::uint16_t version = 0;
    std::uint16_t header_length = 0;
    std::uint32_t flags = 0;
    std::int64_t created_s = 0;
    std::uint32_t metadata_length = 0;
    std::uint32_t section_count = 0;
    std::uint64_t payload_length = 0;
    std::uint64_t zero_40 = 0;
    Digest request;
    Digest producer;
    Digest index;
    std::uint64_t zero_144 = 0;
    std::uint64_t zero_152 = 0;
};

// `bytes` must hold at least a header.
Header read_header(View bytes) {
    ByteReader reader(bytes.subspan(magic.size()));
    return {.version = reader.integer<std::uint16_t>(),
            .header_length = reader.integer<std::uint16_t>(),
            .flags = reader.integer<std::uint32_t>(),
            .created_s = reader.integer<std::int64_t>(),
            .metadata_length = reader.integer<std::uint32_t>(),
            .section_count = reader.integer<std::uint32_t>(),
            .payload_length = reader.integer<std::uint64_t>(),
            .zero_40 = reader.integer<std::uint64_t>(),
            .request = reader.digest(),
            .producer = reader.digest(),
            .index = reader.digest(),
            .zero_144 = reader.integer<std::uint64_t>(),
            .zero_152 = reader.integer<std::uint64_t>()};
}

DecodeProblem decode_sections(View table, View payload, Entry& entry) {
    ByteReader rows(table);
    ByteReader rest(payload);
    while (!rows.at_end()) {
        const auto tag = rows.integer<std::uint32_t>();
        const auto zero = rows.integer<std::uint32_t>();
        const View bytes = rest.bytes(rows.integer<std::uint64_t>());
        const Digest digest = rows.digest();
        if (zero != 0 || !rows.ok() || !rest.ok()) return DecodeProblem::malformed_table;
        if (sha256(bytes) != digest) return DecodeProblem::section_damaged;
        entry.sections.push_back({tag, Bytes(bytes.begin(), bytes.end())});
    }
    return rest.at_end() ? DecodeProblem::none : DecodeProblem::malformed_table;
}

// Decodes the file into `entry`. Returns the problem, if any.
DecodeProblem decode(View file, Entry& entry) {
    if (const DecodeProblem problem = check_header(file, file.size());
        problem != DecodeProblem::none) {
        return problem;
    }
    const Header header = read_header(file);
    const View metadata = file.subspan(entry_header_bytes, header.metadata_length);
    const View index =
        file.subspan(entry_header_bytes, metadata.size() + header.section_count * table_row_bytes);
    if (sha256(index) != header.index) return DecodeProblem::index_damaged;

    entry.request = header.request;
    entry.created_s = header.created_s;
    if (!decode_metadata(metadata, entry)) return DecodeProblem::malformed_metadata;
    if (sha256(entry.producer_identity) != header.producer) return DecodeProblem::foreign_producer;
    return decode_sections(
        index.subspan(metadata.size()), file.subspan(entry_header_bytes + index.size()), entry);
}

}  // namespace

const Section* Entry::find(std::uint32_t tag) const noexcept {
    for (const Section& section : sections) {
        if (section.tag == tag) return &section;
    }
    return nullptr;
}

std::optional<std::string_view> Entry::value(std::string_view name) const noexcept {
    for (const auto& [key, text] : metadata) {
        if (key == name) return text;
    }
    return std::nullopt;
}

std::string_view to_text(DecodeProblem problem) noexcept {
    // In the order of DecodeProblem.
    static constexpr std::array<std::string_view, 13> texts = {
        "no problem",
        "the file is shorter than a header",
        "the file does not start with the signature of an entry",
        "the format version is not 1",
        "the header does not match its checksum",
        "the header has a flag that this version of kgen does not know",
        "a field of the header is out of its range",
        "the file is not as long as its header says",
        "the metadata do not match their checksum",
        "the metadata cannot be parsed",
        "the table of sections does not fit the payload",
        "a section does not match its checksum",
        "the producer is not the one that the header names"};
    return enum_text(texts, problem, "unknown problem");
}

bool may_be_newer(DecodeProblem problem) noexcept {
    return problem == DecodeProblem::unknown_version || problem == DecodeProblem::unknown_flag;
}

std::vector<std::byte> encode_entry(const Entry& entry) {
    Bytes index = encode_metadata(entry);
    const std::size_t metadata_length = index.size();
    check_limit("cache entry: sections", entry.sections.size(), max_sections);
    std::uint64_t payload_length = 0;
    for (const Section& section : entry.sections) {
        append_integer(index, section.tag);
        append_integer(index, std::uint32_t{0});
        append_integer(index, std::uint64_t{section.bytes.size()});
        append_bytes(index, sha256(section.bytes).bytes);
        payload_length += section.bytes.size();
    }
    check_limit("cache entry: bytes in all sections", payload_length, max_payload_bytes);

    Bytes file;
    file.reserve(entry_header_bytes + index.size() + static_cast<std::size_t>(payload_length));
    append_bytes(file, std::as_bytes(std::span(magic)));
    append_integer(file, format_version);
    append_integer(file, static_cast<std::uint16_t>(entry_header_bytes));
    append_integer(file, std::uint32_t{0});  // flags
    append_integer(file, static_cast<std::uint64_t>(entry.created_s));
    append_integer(file, static_cast<std::uint32_t>(metadata_length));
    append_integer(file, static_cast<std::uint32_t>(entry.sections.size()));
    append_integer(file, payload_length);
    append_integer(file, std::uint64_t{0});
    append_bytes(file, entry.request.bytes);
    append_bytes(file, sha256(entry.producer_identity).bytes);
    append_bytes(file, sha256(index).bytes);
    append_integer(file, std::uint64_t{0});
    append_integer(file, std::uint64_t{0});
    append_bytes(file, sha256(std::span(file)).bytes);
    append_bytes(file, index);
    for (const Section& section : entry.sections) append_bytes(file, section.bytes);
    return file;
}

DecodeProblem check_header(std::span<const std::byte> bytes, std::uint64_t file_bytes) {
    if (bytes.size() < entry_header_bytes) return DecodeProblem::too_short;
    const View own_magic = std::as_bytes(std::span(magic));
    if (!std::equal(own_magic.begin(), own_magic.end(), bytes.begin())) {
        return DecodeProblem::bad_magic;
    }
    const Header header = read_header(bytes);
    if (header.version != format_version) return DecodeProblem::unknown_version;
    const Digest digest = sha256(bytes.first(header_digest_offset));
    const View stored = bytes.subspan(header_digest_offset, sizeof digest);
    if (!std::equal(stored.begin(), stored.end(), digest.bytes.begin())) {
        return DecodeProblem::header_damaged;
    }
    if (header.flags != 0) return DecodeProblem::unknown_flag;
    if (header.header_length != entry_header_bytes || header.zero_40 != 0 || header.zero_144 != 0 ||
        header.zero_152 != 0 || header.metadata_length > max_metadata_bytes ||
        header.section_count > max_sections || header.payload_length > max_payload_bytes) {
        return DecodeProblem::bad_field;
    }
    const std::uint64_t length = entry_header_bytes + header.metadata_length +
                                 header.section_count * table_row_bytes + header.payload_length;
    return length == file_bytes ? DecodeProblem::none : DecodeProblem::wrong_length;
}

DecodeResult decode_entry(std::span<const std::byte> file) {
    DecodeResult result;
    Entry entry;
    result.problem = decode(file, entry);
    if (result.problem == DecodeProblem::none) result.entry = std::move(entry);
    return result;
}

namespace {

constexpr std::uint16_t producer_tag = 1;
constexpr std::uint16_t value_tag = 2;

using Bytes = std::vector<std::byte>;
using View = std::span<const std::byte>;

void append_record(Bytes& out, std::uint16_t tag, View value) {
    append_integer(out, tag);
    append_integer(out, static_cast<std::uint32_t>(value.size()));
    append_bytes(out, value);
}

}  // namespace

void check_limit(std::string_view part, std::uint64_t got, std::uint64_t limit) {
    if (got <= limit) return;
    throw std::length_error(std::string(part) + ": got " + std::to_string(got) + ", at most " +
                            std::to_string(limit) + " fit");
}

std::vector<std::byte> encode_metadata(const Entry& entry) {
    // Check before lengths are narrowed to the width of their fields.
    std::uint64_t total = 6 + entry.producer_identity.size();
    for (const auto& [name, value] : entry.metadata) {
        check_limit("cache entry: bytes in the name of a metadata value", name.size(), 0xffff);
        total += 6 + 2 + name.size() + value.size();
    }
    check_limit("cache entry: bytes of metadata", total, max_metadata_bytes);

    Bytes metadata;
    metadata.reserve(static_cast<std::size_t>(total));
    append_record(metadata, producer_tag, as_bytes(entry.producer_identity));
    Bytes record;
    for (const auto& [name, value] : entry.metadata) {
        record.clear();
        append_integer(record, static_cast<std::uint16_t>(name.size()));
        append_bytes(record, as_bytes(name));
        append_bytes(record, as_bytes(value));
        append_record(metadata, value_tag, record);
    }
    return metadata;
}

bool decode_metadata(std::span<const std::byte> bytes, Entry& entry) {
    ByteReader reader(bytes);
    bool has_producer = false;
    while (!reader.at_end()) {
        const auto tag = reader.integer<std::uint16_t>();
        const View value = reader.bytes(reader.integer<std::uint32_t>());
        if (!reader.ok()) return false;
        if (tag == producer_tag) {
            if (has_producer) return false;
            has_producer = true;
            entry.producer_identity = as_text(value);
        } else if (tag == value_tag) {
            ByteReader pair(value);
            const View name = pair.bytes(pair.integer<std::uint16_t>());
            if (!pair.ok()) return false;
            entry.metadata.emplace_back(as_text(name), as_text(value.subspan(2 + name.size())));
        }
    }
    return has_producer;
}

}  // namespace kgen::cache
