// SPDX-License-Identifier: MIT
//
// Encoding of integers as little-endian bytes on any machine: functions that append to a string or vector,
// and a bounds-checked reader.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "digest.hpp"

namespace kgen::cache {

template <class Integer, class Bytes>
void append_integer(Bytes& bytes, Integer value) {
    for (std::size_t k = 0; k < sizeof value; ++k) {
        bytes.push_back(static_cast<typename Bytes::value_type>((value >> (8 * k)) & 0xff));
    }
}

template <class Bytes>
void append_bytes(Bytes& bytes, std::span<const std::byte> more) {
    bytes.insert(bytes.end(), more.begin(), more.end());
}

// Reads bytes from front to back. A read beyond the end returns zero or nothing, and ok() is false
// afterwards.
class ByteReader {
public:
    explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

    template <class Integer>
    Integer integer() {
        const std::span<const std::byte> source = bytes(sizeof(Integer));
        std::uint64_t value = 0;
        for (std::size_t k = 0; k < source.size(); ++k) {
            value |= std::to_integer<std::uint64_t>(source[k]) << (8 * k);
        }
        return static_cast<Integer>(value);
    }

    std::span<const std::byte> bytes(std::uint64_t count) {
        if (count > rest_.size()) {
            ok_ = false;
            rest_ = {};
            return {};
        }
        const std::span<const std::byte> taken = rest_.first(static_cast<std::size_t>(count));
        rest_ = rest_.subspan(taken.size());
        return taken;
    }

    // Returns a digest of zeros if it would reach beyond the end.
    Digest digest() {
        Digest value;
        const std::span<const std::byte> source = bytes(sizeof value);
        std::copy(source.begin(), source.end(), value.bytes.begin());
        return value;
    }

    bool ok() const noexcept { return ok_; }
    bool at_end() const noexcept { return rest_.empty(); }

private:
    std::span<const std::byte> rest_;
    bool ok_ = true;
};

}  // namespace kgen::cache
