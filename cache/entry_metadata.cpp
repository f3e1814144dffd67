// SPDX-License-Identifier: MIT
#include "entry_metadata.hpp"

#include <stdexcept>
#include <string>

#include "little_endian.hpp"

namespace kgen::cache {

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
