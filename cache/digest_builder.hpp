// SPDX-License-Identifier: MIT
//
// DigestBuilder: one digest of several labelled fields. Two different lists of fields never give the hash
// function the same input. The hashed bytes are:
//
//     "kgen-key" NUL, schema u32, { label u16, SHA-256 of the field's bytes }     (little-endian)
//
// Each field is hashed on its own, so a digest that differs in one field can be made without the bytes of the
// other fields. An absent field differs from an empty one. Callers must add the fields in one fixed order.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "digest.hpp"

namespace kgen::cache {

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
