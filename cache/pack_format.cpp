// SPDX-License-Identifier: MIT
#include "pack_format.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "enum_text.hpp"
#include "little_endian.hpp"
#include "pack_index.hpp"

namespace kgen::cache {

namespace {

using Bytes = std::vector<std::byte>;

struct KeyedEntry {
    Digest producer;
    Entry entry;
};

bool is_before(const KeyedEntry& a, const KeyedEntry& b) {
    return std::pair(a.entry.request, a.producer) < std::pair(b.entry.request, b.producer);
}

std::vector<KeyedEntry> sort_and_merge(std::vector<Entry> entries) {
    std::vector<KeyedEntry> sorted;
    sorted.reserve(entries.size());
    for (Entry& entry : entries) {
        entry.created_s = 0;
        const Digest producer = sha256(entry.producer_identity);
        sorted.push_back({producer, std::move(entry)});
    }
    std::stable_sort(sorted.begin(), sorted.end(), is_before);
    const auto same_key = [](const KeyedEntry& a, const KeyedEntry& b) {
        if (is_before(a, b)) return false;
        if (a.entry == b.entry) return true;
        throw std::invalid_argument("cache pack: two different entries of request " +
                                    a.entry.request.to_hex() + " by one producer");
    };
    sorted.erase(std::unique(sorted.begin(), sorted.end(), same_key), sorted.end());
    return sorted;
}

// The blobs, numbered in the order of their first use.
class BlobTable {
public:
    // Adds a blob even if an equal one exists.
    std::uint32_t add(std::span<const std::byte> bytes) { return append(bytes, sha256(bytes)); }

    // Returns the number of the blob with these bytes, and adds it if there is none.
    std::uint32_t number_of(std::span<const std::byte> bytes) {
        const Digest digest = sha256(bytes);
        const auto [place, is_new] = numbers_.try_emplace(digest, count_);
        if (is_new) append(bytes, digest);
        return place->second;
    }

    std::uint32_t size() const { return count_; }
    const Bytes& rows() const { return rows_; }
    const Bytes& payload() const { return payload_; }

private:
    std::uint32_t append(std::span<const std::byte> bytes, const Digest& digest) {
        append_integer(rows_, std::uint64_t{payload_.size()});
        append_integer(rows_, std::uint64_t{bytes.size()});
        append_bytes(rows_, digest.bytes);
        append_bytes(payload_, bytes);
        check_limit("cache pack: bytes", payload_.size(), max_pack_bytes);
        return count_++;
    }

    std::unordered_map<Digest, std::uint32_t> numbers_;
    std::uint32_t count_ = 0;
    Bytes rows_;
    Bytes payload_;
};

void check_sections(const Entry& entry) {
    check_limit("cache entry: sections", entry.sections.size(), max_sections);
    std::uint64_t length = 0;
    for (const Section& section : entry.sections) length += section.bytes.size();
    check_limit("cache entry: bytes in all sections", length, max_payload_bytes);
}

}  // namespace

std::string_view to_text(PackProblem problem) noexcept {
    // In the order of PackProblem.
    static constexpr std::array<std::string_view, 14> texts = {
        "no problem",
        "it is shorter than a header",
        "it is not a pack",
        "it is of a format that this kgen does not know",
        "the header does not match its checksum",
        "it has a flag that this kgen does not know",
        "a field of the header is out of range",
        "it is not as long as its header says",
        "the index does not match its checksum",
        "the index does not fit what it describes",
        "an entry's bytes do not match their checksum",
        "the metadata of an entry cannot be parsed",
        "the producer of an entry is not the one that the index names",
        "it cannot be read"};
    return enum_text(texts, problem, "unknown problem");
}

bool may_be_newer(PackProblem problem) noexcept {
    return problem == PackProblem::unknown_version || problem == PackProblem::unknown_flag;
}

std::vector<std::byte> encode_pack(std::vector<Entry> given) {
    const std::vector<KeyedEntry> entries = sort_and_merge(std::move(given));
    BlobTable blobs;
    Bytes entry_rows;
    Bytes section_rows;
    std::uint32_t section_count = 0;
    for (const auto& [producer, entry] : entries) {
        check_sections(entry);
        append_bytes(entry_rows, entry.request.bytes);
        append_bytes(entry_rows, producer.bytes);
        append_integer(entry_rows, blobs.add(encode_metadata(entry)));
        append_integer(entry_rows, static_cast<std::uint32_t>(entry.sections.size()));
        append_integer(entry_rows, section_count);
        append_integer(entry_rows, std::uint32_t{0});
        for (const Section& section : entry.sections) {
            append_integer(section_rows, section.tag);
            append_integer(section_rows, blobs.number_of(section.bytes));
            ++section_count;
        }
        // Check before the next row, so no count exceeds the width of its field.
        check_limit("cache pack: bytes of the index",
                    entry_rows.size() + section_rows.size() + blobs.rows().size(),
                    max_pack_index_bytes);
    }
    Bytes index = std::move(entry_rows);
    append_bytes(index, section_rows);
    append_bytes(index, blobs.rows());
    Bytes pack = encode_pack_header({.entry_count = static_cast<std::uint32_t>(entries.size()),
                                     .section_count = section_count,
                                     .blob_count = blobs.size(),
                                     .payload_length = blobs.payload().size(),
                                     .index = sha256(index)});
    check_limit("cache pack: bytes",
                std::uint64_t{pack.size()} + index.size() + blobs.payload().size(),
                max_pack_bytes);
    append_bytes(pack, index);
    append_bytes(pack, blobs.payload());
    return pack;
}

}  // namespace kgen::cache
