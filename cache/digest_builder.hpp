// SPDX-License-Identifier: MIT
//
// DigestBuilder: one digest of several labelled fields, such that two different lists of fields
// never give the hash function the same input. What is hashed:
//
//     "kgen-key" NUL, schema u32, { label u16, SHA-256 of the field's bytes }     (little-endian)
//
// so that a digest that differs in one field from another is made without the others' bytes.
// A field that is not added is absent, and differs from one that is empty. Callers add the fields
// in one fixed order.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "digest.hpp"

namespace kgen::cache {

// One field's own digest, by which two keys are compared: "differs in: options".
struct DigestPart {
    std::uint16_t label;
    std::string name;
    Digest digest;
};

class DigestBuilder {
public:
    // `schema` changes when the meaning of the fields does.
    explicit DigestBuilder(std::uint32_t schema);

    // `label` identifies the field in the digest, `name` only for people.
    DigestBuilder& add(std::uint16_t label, std::string_view name, std::string_view value);
    // An ordered list as one field: {"ab"}, {"a", "b"} and {} differ.
    DigestBuilder& add_list(std::uint16_t label,
                            std::string_view name,
                            std::span<const std::string> values);

    // A field by its digest, from another builder's parts.
    DigestBuilder& add(const DigestPart& part);

    Digest digest() const;
    // The fields in the order they were added.
    const std::vector<DigestPart>& parts() const noexcept { return parts_; }

private:
    std::string hashed_;
    std::vector<DigestPart> parts_;
};

}  // namespace kgen::cache
