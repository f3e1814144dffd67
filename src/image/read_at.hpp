// SPDX-License-Identifier: MIT
//
// read_at: reads a number or plain struct from bytes that need not be aligned.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

namespace kgen {

// The value must lie within the bytes.
template <typename T>
T read_at(std::string_view bytes, std::size_t offset) noexcept {
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

}  // namespace kgen
