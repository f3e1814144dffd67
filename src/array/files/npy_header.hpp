// SPDX-License-Identifier: MIT
//
// The header of .npy files, format versions 1.0 to 3.0:
//     "\x93NUMPY" major minor length(2 or 4 bytes, little-endian) dictionary
// The dictionary is the text of a Python literal with exactly these keys, in any order:
//     {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
// All values are checked. Reading a header never allocates more memory than the header's length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kgen/array.hpp>
#include <string>
#include <string_view>

namespace kgen {

// Sizes of the part before the dictionary: magic, version and length.
inline constexpr std::size_t npy_shortest_prefix_bytes = 10;  // in version 1.0
inline constexpr std::size_t npy_longest_prefix_bytes = 12;

struct NpyPrefix {
    std::size_t size_bytes = 0;    // 10 or 12
    std::size_t header_bytes = 0;  // size of the dictionary that follows
};

struct NpyHeader {
    std::string descr;
    bool fortran_order = false;
    Dims shape;
};

// Both functions throw an IoError whose message has no subject, because the caller puts the file's name
// before it. `bytes` is the begin of the file: at least the version's whole prefix, or the whole file if it
// is shorter.
NpyPrefix parse_npy_prefix(std::string_view bytes);
NpyHeader parse_npy_header(std::string_view dictionary);

enum class ByteOrder : std::uint8_t { little, big };
struct NpyType {
    DType dtype;
    ByteOrder order;
};
// Returns the size of the numbers to which byte order and alignment apply. A complex element is two numbers.
inline std::size_t number_bytes(DType dtype) {
    return kind_of(dtype) == DTypeKind::complex ? item_size(dtype) / 2 : item_size(dtype);
}
// Returns the meaning of a descr. 'V2' is accepted only if `expected` is bfloat16. Throws IoError if kgen
// does not support the dtype.
NpyType parse_npy_descr(std::string_view descr, std::optional<DType> expected);

// Returns the little-endian descr of a dtype: "<f4", "|b1", "<V2" for bfloat16.
std::string npy_descr(DType dtype);

// Returns the whole header in version 1.0, padded so that the data begins at a multiple of 64 bytes.
std::string make_npy_header(DType dtype, Order order, const Dims& shape);

}  // namespace kgen
