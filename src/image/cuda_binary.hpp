// SPDX-License-Identifier: MIT
//
// Checks cubins and fatbins before the driver gets them, because the driver only says that a damaged one is
// invalid.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace kgen {

// Returns the architecture of a cubin: "sm_90". Throws IoError if the ELF file is for another machine,
// truncated or not linked.
std::string check_cubin(std::string_view bytes);

bool is_fatbin(std::string_view bytes);
// Throws IoError if the fatbin is truncated.
void check_fatbin(std::string_view bytes);

// Reads a number or plain struct from bytes that need not be aligned. The value must lie within the bytes.
template <typename T>
T read_at(std::string_view bytes, std::size_t offset) noexcept {
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

}  // namespace kgen
