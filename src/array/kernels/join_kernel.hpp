// SPDX-License-Identifier: MIT
//
// The kernels that write the rows of several dense matrices side by side to the rows of one dense matrix.
// Copies into slices would write sectors of memory in part, and such sectors are read before they are
// written. If the rows have few bytes, this happens once for each matrix.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "template/template_definition.hpp"

namespace kgen::array_kernels {

// There is a kernel for each of these numbers of matrices. If there are fewer matrices than a kernel takes,
// any matrices may stand in place of the last ones.
inline constexpr std::array<int, 4> join_counts = {2, 3, 4, 8};

// Copies "raw T x0, raw T x1, ..." to "raw T y", which is aligned to 16 bytes. "begin1, begin2, ..." are the
// columns of the result at which the matrices begin ("width" for missing ones). "width" is the number of
// columns of the result, "total" the number of its elements, and "inverse" is inverse_of(width). The size of
// a call is the number of 16-byte pieces of `y`. If "woven" is 1, it is the number of chunks of the rows
// instead. Each matrix then has one column, none is missing, and all are aligned to chunk_bytes().
Definition join(int count);

// Bytes of a column that a thread of a woven call reads: at least one element.
std::size_t chunk_bytes(int count, std::size_t item_bytes) noexcept;

// Returns floor((2^64 - 1) / width), with which a division by `width` becomes a multiplication.
std::uint64_t inverse_of(std::uint64_t width) noexcept;

}  // namespace kgen::array_kernels
