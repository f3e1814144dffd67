// SPDX-License-Identifier: MIT
//
// Calls PackReader with any bytes. The first byte of the input selects which digests are corrected
// beforehand, so the fuzzer gets past them. The rest is the pack. A pack that opens must list its
// entries and return each of them. If it verifies, encoding it again must give the same entries.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "little_endian.hpp"
#include "pack_format.hpp"
#include "pack_reader.hpp"

using namespace kgen::cache;

namespace {

template <class Integer>
std::uint64_t integer_at(std::span<const std::byte> pack, std::size_t offset) {
    return ByteReader(pack.subspan(offset)).integer<Integer>();
}

void put_digest(std::span<std::byte> pack, std::size_t offset, const Digest& digest) {
    std::memcpy(pack.data() + offset, digest.bytes.data(), sizeof digest);
}

// Corrects the selected digests as a writer would compute them, as far as the fields fit the pack.
void seal(std::span<std::byte> pack, unsigned which) {
    if (pack.size() < pack_header_bytes) return;
    if ((which & 8U) != 0) std::memcpy(pack.data(), "\x93KGPK\r\n\x1a\1\0\x80\0\0\0\0\0", 16);
    const std::uint64_t entries = integer_at<std::uint32_t>(pack, 16) & 0xff;
    const std::uint64_t sections = integer_at<std::uint32_t>(pack, 20) & 0xff;
    const std::uint64_t blobs = integer_at<std::uint32_t>(pack, 24) & 0xff;
    const std::uint64_t index = 80 * entries + 8 * sections + 48 * blobs;
    const std::uint64_t behind = pack.size() - pack_header_bytes;
    if (index > behind) return;
    if ((which & 16U) != 0) {  // the counts and the payload must match exactly
        const std::uint64_t payload = behind - index;
        for (unsigned k = 0; k < 3; ++k) {
            std::memset(pack.data() + 17 + 4 * k, 0, 3);
        }
        for (unsigned k = 0; k < 8; ++k) {
            pack[32 + k] = static_cast<std::byte>((payload >> (8 * k)) & 0xff);
        }
    }
    const std::size_t first_row = pack_header_bytes + static_cast<std::size_t>(index - 48 * blobs);
    const std::size_t first_blob = pack_header_bytes + static_cast<std::size_t>(index);
    for (std::uint64_t k = 0; (which & 1U) != 0 && k < blobs; ++k) {
        const std::size_t row = first_row + static_cast<std::size_t>(48 * k);
        const std::uint64_t offset = integer_at<std::uint64_t>(pack, row);
        const std::uint64_t length = integer_at<std::uint64_t>(pack, row + 8);
        const std::uint64_t room = pack.size() - first_blob;
        if (offset > room || length > room - offset) continue;
        const auto blob = pack.subspan(first_blob + static_cast<std::size_t>(offset),
                                       static_cast<std::size_t>(length));
        put_digest(pack, row + 16, sha256(blob));
    }
    if ((which & 2U) != 0) {
        const auto bytes = pack.subspan(pack_header_bytes, static_cast<std::size_t>(index));
        put_digest(pack, 48, sha256(bytes));
    }
    if ((which & 4U) != 0) put_digest(pack, 96, sha256(pack.first(96)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const auto input = std::as_bytes(std::span(data + 1, size - 1));
    std::vector<std::byte> pack(input.begin(), input.end());
    seal(pack, data[0]);
    const PackOpening opening = PackReader::open(pack);
    if ((opening.reader != nullptr) != (opening.problem == PackProblem::none)) std::abort();
    if (opening.reader == nullptr) return 0;
    const PackReader& reader = *opening.reader;
    const bool is_sound = reader.verify() == PackProblem::none;
    std::vector<Entry> entries;
    for (std::size_t k = 0; k < reader.index().size(); ++k) {
        PackFind found = reader.find(reader.index().request(k), reader.index().producer(k));
        if (found.entry.has_value() != (found.problem == PackProblem::none)) std::abort();
        if (found.entry) entries.push_back(std::move(*found.entry));
    }
    if (is_sound && entries.size() != reader.index().size()) std::abort();
    const std::vector<std::byte> again = encode_pack(entries);
    const PackOpening second = PackReader::open(again);
    if (second.reader == nullptr || second.reader->verify() != PackProblem::none) std::abort();
    for (const Entry& entry : entries) {
        const PackFind found = second.reader->find(entry.request, sha256(entry.producer_identity));
        if (!found.entry || !(*found.entry == entry)) std::abort();
    }
    return 0;
}
