// SPDX-License-Identifier: MIT
//
// Digest: a SHA-256 value. It names requests and producers, and guards every byte of an entry.
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
    std::string short_hex() const;  // the first 16 of them: names a producer in a file's name
    // Nothing unless the text is exactly 64 lower-case hexadecimal digits.
    static std::optional<Digest> from_hex(std::string_view text);

    friend bool operator==(const Digest&, const Digest&) = default;
    friend auto operator<=>(const Digest&, const Digest&) = default;
};

// Whether the text has no characters but lower-case hexadecimal digits; an empty one has none.
bool is_hex(std::string_view text) noexcept;

Digest sha256(std::span<const std::byte> bytes);
Digest sha256(std::string_view text);

// The same bytes, seen as the other type.
inline std::span<const std::byte> as_bytes(std::string_view text) {
    return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
inline std::string_view as_text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace kgen::cache

template <>
struct std::hash<kgen::cache::Digest> {
    // A digest is uniformly distributed already: its first bytes are a hash.
    std::size_t operator()(const kgen::cache::Digest& digest) const noexcept {
        std::size_t value = 0;
        std::memcpy(&value, digest.bytes.data(), sizeof value);
        return value;
    }
};
