// SPDX-License-Identifier: MIT
//
// Calls decode_entry with any bytes. The first byte of the input selects which digests are
// corrected beforehand, so the fuzzer gets past them. The rest is the file. An entry that is
// decoded must not change when it is encoded and decoded again.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "entry.hpp"

using namespace kgen::cache;

namespace {

std::uint64_t integer_at(std::span<const std::byte> file, std::size_t offset, std::size_t bytes) {
    std::uint64_t value = 0;
    for (std::size_t k = 0; k < bytes; ++k) {
        value |= std::to_integer<std::uint64_t>(file[offset + k]) << (8 * k);
    }
    return value;
}

void put_digest(std::span<std::byte> file, std::size_t offset, const Digest& digest) {
    std::memcpy(file.data() + offset, digest.bytes.data(), sizeof digest);
}

// Corrects the selected digests as a writer would compute them, as far as the fields fit the file.
void seal(std::span<std::byte> file, unsigned which) {
    if (file.size() < entry_header_bytes) return;
    if ((which & 8U) != 0) std::memcpy(file.data(), "\x93KGEN\r\n\x1a\1\0\xc0\0\0\0\0\0", 16);
    const std::uint64_t metadata = integer_at(file, 24, 4);
    const std::uint64_t sections = integer_at(file, 28, 4);
    const std::uint64_t index = metadata + 48 * sections;
    const std::uint64_t behind = file.size() - entry_header_bytes;
    if ((which & 16U) != 0 && index <= behind) {  // the payload's length must match exactly
        const std::uint64_t payload = behind - index;
        for (unsigned k = 0; k < 8; ++k) {
            file[32 + k] = static_cast<std::byte>((payload >> (8 * k)) & 0xff);
        }
    }
    if ((which & 1U) != 0 && index <= behind) {
        std::size_t at = entry_header_bytes + static_cast<std::size_t>(index);
        for (std::uint64_t k = 0; k < sections; ++k) {
            const std::size_t row =
                entry_header_bytes + static_cast<std::size_t>(metadata + 48 * k);
            const std::uint64_t length = integer_at(file, row + 8, 8);
            if (length > file.size() - at) break;
            put_digest(file, row + 16, sha256(file.subspan(at, static_cast<std::size_t>(length))));
            at += static_cast<std::size_t>(length);
        }
    }
    if ((which & 2U) != 0 && index <= behind) {
        const auto bytes = file.subspan(entry_header_bytes, static_cast<std::size_t>(index));
        put_digest(file, 112, sha256(bytes));
        // Digest of the producer, if the producer is the first record.
        if (metadata >= 6 && integer_at(file, 192, 2) == 1) {
            const std::uint64_t length = integer_at(file, 194, 4);
            if (length <= metadata - 6) {
                put_digest(file, 80, sha256(file.subspan(198, static_cast<std::size_t>(length))));
            }
        }
    }
    if ((which & 4U) != 0) put_digest(file, 160, sha256(file.first(160)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const auto input = std::as_bytes(std::span(data + 1, size - 1));
    std::vector<std::byte> file(input.begin(), input.end());
    seal(file, data[0]);
    const DecodeResult result = decode_entry(file);
    if (result.entry.has_value() != (result.problem == DecodeProblem::none)) std::abort();
    if (!result.entry) return 0;
    const DecodeResult again = decode_entry(encode_entry(*result.entry));
    if (!again.entry || !(*again.entry == *result.entry)) std::abort();
    return 0;
}
