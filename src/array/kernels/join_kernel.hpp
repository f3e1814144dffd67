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

// join() has a kernel for each of these numbers of matrices. If there are fewer matrices than a kernel takes, any
// matrices may stand in place of the last ones.
inline constexpr std::array<int, 3> join_counts = {2, 4, 16};

// Copies "raw T x0, raw T x1, ..." to "raw T y". "begin1, begin2, ..." are the columns of the result at which the
// matrices begin ("width" for missing ones). "width" is the number of columns of the result, "total" the number of its
// elements, "inverse" is inverse_of(width), and "skipped" the number of elements by which `y` begins behind a multiple
// of 16 bytes. The size of a call is the number of 16-byte pieces from there to the end of `y`.
Definition join(int count);

// Does the same for 2 to 16 matrices of one column each, with "rows" in place of these numbers. `y` is aligned to 16
// bytes, and all others to chunk_bytes(). The size of a call is the number of chunks of a column.
Definition weave(int count);

// Bytes of a column that a thread of weave() reads: at least one element.
std::size_t chunk_bytes(int count, std::size_t item_bytes) noexcept;

// Returns floor((2^64 - 1) / width), with which a division by `width` becomes a multiplication.
std::uint64_t inverse_of(std::uint64_t width) noexcept;

}  // namespace kgen::array_kernels
