// SPDX-License-Identifier: MIT
//
// Digest: a SHA-256 value. Digests identify requests and producers and detect damage in every byte of an
// entry.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kgen::cache {

struct Digest {
    std::array<std::byte, 32> bytes{};

    std::string to_hex() const;     // 64 lower-case digits
    std::string short_hex() const;  // the first 16 digits; identify a producer in a file name
    // Returns nothing unless the text is exactly 64 lower-case hexadecimal digits.
    static std::optional<Digest> from_hex(std::string_view text);

    friend bool operator==(const Digest&, const Digest&) = default;
    friend auto operator<=>(const Digest&, const Digest&) = default;
};

// Returns whether the text consists only of lower-case hexadecimal digits. True for an empty text.
bool is_hex(std::string_view text) noexcept;

Digest sha256(std::span<const std::byte> bytes);
Digest sha256(std::string_view text);

// Views of the same bytes as the other type.
inline std::span<const std::byte> as_bytes(std::string_view text) {
    return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
inline std::string_view as_text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace kgen::cache

template <>
struct std::hash<kgen::cache::Digest> {
    // A digest is uniformly distributed, so its first bytes serve as the hash.
    std::size_t operator()(const kgen::cache::Digest& digest) const noexcept {
        std::size_t value = 0;
        std::memcpy(&value, digest.bytes.data(), sizeof value);
        return value;
    }
};
