// SPDX-License-Identifier: MIT
//
// Digest: a SHA-256 value. Digests identify requests and producers and detect damage in every byte of an
// entry.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

// DigestBuilder: one digest of several labelled fields. Two different lists of fields never give the hash
// function the same input. The hashed bytes are:
//
//     "kgen-key" NUL, schema u32, { label u16, SHA-256 of the field's bytes }     (little-endian)
//
// Each field is hashed on its own, so a digest that differs in one field can be made without the bytes of the
// other fields. An absent field differs from an empty one. Callers must add the fields in one fixed order.

// The digest of one field. Comparing the parts of two digests shows which fields differ: "differs in:
// options".
struct DigestPart {
    std::uint16_t label;
    std::string name;
    Digest digest;
};

class DigestBuilder {
public:
    // `schema` must change whenever the meaning of the fields changes.
    explicit DigestBuilder(std::uint32_t schema);

    // Adds a field. `label` identifies it in the digest; `name` is only for display.
    DigestBuilder& add(std::uint16_t label, std::string_view name, std::string_view value);
    // Adds an ordered list as one field: {"ab"}, {"a", "b"} and {} give different digests.
    DigestBuilder& add_list(std::uint16_t label,
                            std::string_view name,
                            std::span<const std::string> values);

    // Adds a field by its digest, taken from parts() of another builder.
    DigestBuilder& add(const DigestPart& part);

    Digest digest() const;
    // The fields in the order in which they were added.
    const std::vector<DigestPart>& parts() const noexcept { return parts_; }

private:
    std::string hashed_;
    std::vector<DigestPart> parts_;
};

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
