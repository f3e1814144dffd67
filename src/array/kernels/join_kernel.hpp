// SPDX-License-Identifier: MIT
//
// The kernels that write the rows of several dense matrices side by side: the rows of one dense matrix.
// Copies into slices would write sectors of the memory in part, and these are read before they are written:
// with rows of few bytes, once for each matrix.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "template/template_definition.hpp"

namespace kgen::array_kernels {

// There is a kernel for each of these numbers of matrices; one for more matrices than there are takes any
// as the last ones.
inline constexpr std::array<int, 4> join_counts = {2, 3, 4, 8};

// "raw T x0, raw T x1, ..." to "raw T y", which is aligned to 16 bytes. "begin1, begin2, ..." are the columns of
// the result in which the matrices begin ("width" for those that are not there), "width" the number of its
// columns, "total" of its elements, and "inverse" is inverse_of(width). A call's size is the number of 16-byte
// pieces of `y`; or, if "woven" is 1, the number of chunks of the rows: then each matrix has one column, there is
// no other matrix, and all are aligned to chunk_bytes().
Definition join(int count);

// The bytes of a column that a thread of a woven call reads: at least one element.
std::size_t chunk_bytes(int count, std::size_t item_bytes) noexcept;

// What turns a division by `width` into a product: floor((2^64 - 1) / width).
std::uint64_t inverse_of(std::uint64_t width) noexcept;

}  // namespace kgen::array_kernels
