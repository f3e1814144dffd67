// SPDX-License-Identifier: MIT
//
// The header of .npy files, format versions 1.0 to 3.0:
//     "\x93NUMPY" major minor length(2 or 4 bytes, little-endian) dictionary
// where the dictionary is the text of a Python literal with exactly these keys, in any order:
//     {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
// Everything is bounded and checked; a header never makes the reader allocate more than its own length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kgen/array.hpp>
#include <string>
#include <string_view>

namespace kgen {

// The fixed bytes before the dictionary: magic, version and length.
inline constexpr std::size_t npy_shortest_prefix_bytes = 10;  // in version 1.0
inline constexpr std::size_t npy_longest_prefix_bytes = 12;

struct NpyPrefix {
    std::size_t size_bytes = 0;    // 10 or 12
    std::size_t header_bytes = 0;  // of the dictionary that follows
};

struct NpyHeader {
    std::string descr;
    bool fortran_order = false;
    Dims shape;
};

// Both throw IoError whose message begins with no subject: the caller names the file.
// `bytes` is the beginning of the file, as long as the version's prefix or longer, or the whole file if that is shorter.
NpyPrefix parse_npy_prefix(std::string_view bytes);
NpyHeader parse_npy_header(std::string_view dictionary);

enum class ByteOrder : std::uint8_t { little, big };
struct NpyType {
    DType dtype;
    ByteOrder order;
};
// The numbers that byte order and alignment are about: of complex ones each half.
inline std::size_t number_bytes(DType dtype) {
    return kind_of(dtype) == DTypeKind::complex ? item_size(dtype) / 2 : item_size(dtype);
}
// What a descr stands for; 'V2' only where bfloat16 is expected. Throws IoError if kgen has no such dtype.
NpyType parse_npy_descr(std::string_view descr, std::optional<DType> expected);

// The descr of a dtype, little-endian: "<f4", "|b1", "<V2" for bfloat16.
std::string npy_descr(DType dtype);

// The whole header, version 1.0, padded so that the data begins at a multiple of 64.
std::string make_npy_header(DType dtype, Order order, const Dims& shape);

}  // namespace kgen
