// SPDX-License-Identifier: MIT
#include "digest_builder.hpp"

#include "little_endian.hpp"

namespace kgen::cache {

DigestBuilder::DigestBuilder(std::uint32_t schema) {
    hashed_.append("kgen-key");
    hashed_.push_back('\0');
    append_integer(hashed_, schema);
}

DigestBuilder& DigestBuilder::add(std::uint16_t label,
                                  std::string_view name,
                                  std::string_view value) {
    return add(DigestPart{label, std::string(name), sha256(value)});
}

DigestBuilder& DigestBuilder::add(const DigestPart& part) {
    append_integer(hashed_, part.label);
    hashed_.append(as_text(part.digest.bytes));
    parts_.push_back(part);
    return *this;
}

DigestBuilder& DigestBuilder::add_list(std::uint16_t label,
                                       std::string_view name,
                                       std::span<const std::string> values) {
    std::string joined;
    append_integer(joined, std::uint64_t{values.size()});
    for (const std::string& value : values) {
        append_integer(joined, std::uint64_t{value.size()});
        joined.append(value);
    }
    return add(label, name, joined);
}

Digest DigestBuilder::digest() const {
    return sha256(hashed_);
}

}  // namespace kgen::cache
