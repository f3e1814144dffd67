// SPDX-License-Identifier: MIT
//
// The records of a zip archive according to PKWARE's APPNOTE 6.3. All numbers are little-endian:
//     archive   := (local_header name extra data [descriptor])* directory [end64 locator64] end comment
//     directory := (entry name extra comment)*
// A number that does not fit is written as all ones. Its 64-bit form is in an extra field of the entry, or in
// end64.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kgen::zip {

inline constexpr std::uint32_t local_signature = 0x04034b50;
inline constexpr std::uint32_t entry_signature = 0x02014b50;
inline constexpr std::uint32_t end_signature = 0x06054b50;
inline constexpr std::uint32_t end64_signature = 0x06064b50;
inline constexpr std::uint32_t locator64_signature = 0x07064b50;

// Sizes of the fixed parts of the records.
inline constexpr std::size_t local_bytes = 30;
inline constexpr std::size_t entry_bytes = 46;
inline constexpr std::size_t end_bytes = 22;
inline constexpr std::size_t end64_bytes = 56;
inline constexpr std::size_t locator64_bytes = 20;

inline constexpr std::uint16_t extra64_id = 1;  // the extra field with 64-bit numbers
inline constexpr std::uint16_t all_ones_16 = 0xffff;
inline constexpr std::uint32_t all_ones_32 = 0xffffffff;

inline constexpr std::uint16_t flag_encrypted = 1 << 0;
inline constexpr std::uint16_t flag_descriptor = 1 << 3;  // sizes and checksum follow the data
inline constexpr std::uint16_t flag_patch = 1 << 5;
inline constexpr std::uint16_t flag_strongly_encrypted = 1 << 6;
inline constexpr std::uint16_t flag_utf8 = 1 << 11;
inline constexpr std::uint16_t flag_masked = 1 << 13;  // the directory is encrypted

inline constexpr std::uint16_t method_stored = 0;
inline constexpr std::uint16_t method_deflated = 8;

// Returns the number at `offset`. The caller must check that `bytes` contains it.
template <std::unsigned_integral Integer>
Integer number_at(std::string_view bytes, std::size_t offset) {
    Integer value = 0;
    for (std::size_t k = sizeof(Integer); k-- > 0;) {
        value = static_cast<Integer>(static_cast<std::uint64_t>(value) << 8 |
                                     static_cast<unsigned char>(bytes[offset + k]));
    }
    return value;
}
inline std::uint16_t number_16(std::string_view bytes, std::size_t offset) {
    return number_at<std::uint16_t>(bytes, offset);
}
inline std::uint32_t number_32(std::string_view bytes, std::size_t offset) {
    return number_at<std::uint32_t>(bytes, offset);
}
inline std::uint64_t number_64(std::string_view bytes, std::size_t offset) {
    return number_at<std::uint64_t>(bytes, offset);
}

template <std::unsigned_integral... Integers>
void append(std::string& bytes, Integers... values) {
    const auto add = [&](std::uint64_t value, std::size_t size) {
        for (std::size_t k = 0; k < size; ++k) bytes += static_cast<char>(value >> (8 * k) & 0xff);
    };
    (add(values, sizeof values), ...);
}

// The 64-bit numbers of an entry's extra field. The field has a number only if its 32-bit form is all ones.
class Extra64 {
public:
    // Both throw IoErrors that do not name the entry.
    explicit Extra64(std::string_view extra_fields);
    // Returns `short_form`, or the next 64-bit number if `short_form` is all ones.
    std::uint64_t take(std::uint32_t short_form, const char* what);

private:
    std::string_view numbers_;
};

}  // namespace kgen::zip
